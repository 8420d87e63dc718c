"""Normalizations that write to their running statistics, which no version counter tells.

    F.batch_norm(x, mean, var, training=True)      changes mean and var in place

torch's schemas call these arguments unchanged. What keeps track of changes in place (operands of a region, arguments
before a `raise`) goes by version counters, so the writes are counted here.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch.autograd.graph import increment_version

from graphweld.capture.variables import example, is_tensor

NN = torch.nn.functional
# For each function, by name and position: the statistics, and the flag with its default that has them written.
WRITERS: dict[Any, tuple[dict[str, int], tuple[str, int, bool]]] = {
    NN.batch_norm: ({"running_mean": 1, "running_var": 2}, ("training", 5, False)),
    NN.instance_norm: ({"running_mean": 1, "running_var": 2}, ("use_input_stats", 5, True)),
    torch.batch_norm: ({"running_mean": 3, "running_var": 4}, ("training", 5, False)),
    torch.instance_norm: ({"running_mean": 3, "running_var": 4}, ("use_input_stats", 5, True)),
}


def count_writes(function: Any, args: list[VariableTracker], kwargs: dict[str, VariableTracker]) -> None:
    """Count the changes in place of a call that has been traced."""
    if function not in WRITERS:
        return
    statistics, (flag, position, default) = WRITERS[function]
    asked = kwargs.get(flag, args[position] if len(args) > position else ConstantVariable.create(default))
    if isinstance(asked, ConstantVariable) and not asked.value:
        return
    for name, at in statistics.items():
        written = kwargs.get(name, args[at] if len(args) > at else None)
        if written is not None and is_tensor(written.realize()):
            increment_version(example(written.realize()))
