"""LSTM over a sequence whose length the data decides: torch's own decomposition unrolls, this is a loop.

Traced, and converted like a program of the user's, so that its `for` becomes a Loop node.
"""

from typing import Any

import torch


def lstm(
    x: torch.Tensor,
    hx: tuple[torch.Tensor, torch.Tensor],
    weights: list[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`torch.lstm` on a batch, in the equations of its documentation; dropout between layers as there."""
    h0, c0 = hx
    directions = 2 if bidirectional else 1
    per = 4 if has_biases else 2
    seq = x.transpose(0, 1) if batch_first else x
    last_h, last_c = [], []
    for layer in range(num_layers):
        outs = []
        for d in range(directions):
            k = layer * directions + d
            params = weights[k * per : k * per + per]
            gates = torch.nn.functional.linear(seq, params[0], params[2] + params[3] if has_biases else None)
            out, h, c = _direction(gates, h0[k], c0[k], params[1], d == 1)
            outs.append(out)
            last_h.append(h)
            last_c.append(c)
        seq = torch.cat(outs, -1) if bidirectional else outs[0]
        if dropout > 0 and train and layer < num_layers - 1:
            seq = torch.nn.functional.dropout(seq, dropout, True)
    seq = seq.transpose(0, 1) if batch_first else seq
    return seq, torch.stack(last_h), torch.stack(last_c)


def _direction(
    gates: torch.Tensor, h: torch.Tensor, c: torch.Tensor, recurrent: torch.Tensor, backward: bool
) -> tuple[Any, Any, Any]:
    steps = gates.size(0)
    out = gates.new_zeros(steps, h.size(0), h.size(1))
    for t in range(steps):
        at = steps - 1 - t if backward else t
        i, f, g, o = (gates[at] + torch.nn.functional.linear(h, recurrent)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        out[at] = h
    return out, h, c


OF_UNKNOWN_LENGTH = {torch.lstm: lstm}
