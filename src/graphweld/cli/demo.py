"""`graphweld demo`: five small programs and one real model, before and after."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import torch
    from rich.console import Console

    from graphweld.report import Report


_PIPE_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Case:
    """A program, and inputs that between them take every way through it."""

    title: str
    fn: Callable[..., Any]
    inputs: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case: the report, how many graphs all inputs took together, what differs from eager."""

    report: Report
    graphs: int
    difference: str | None


@click.command(short_help="Run five small programs and one real model, before and after.")
def demo() -> None:
    """Run five small programs and one real model through explain and compile, on inputs that take each way, and compare
    every result with plain eager Python. Exit code 1 if a result differs.
    """
    from rich.console import Console

    from graphweld.versions import require_torch

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    console.print(
        f"torch {require_torch()}; graphs are counted by the backend, and every result is compared with eager.\n"
    )
    outcomes = [_show(console, case) for case in _programs()]
    console.print()
    _print_report(console, outcomes[0].report)

    console.print("\nA real model: BART from transformers, random weights, float16.", style="bold")
    model = _bart()
    if model is None:
        console.print("transformers is not installed: left out. (pip install 'graphweld\\[hf]')", style="yellow")
    else:
        outcomes.append(_show(console, model))
        console.print()
        _print_report(console, outcomes[-1].report)
    console.print()
    _close(console, outcomes)


def _programs() -> list[Case]:
    import torch

    from graphweld.cli import demo_programs as programs

    def inputs(*values: torch.Tensor) -> tuple[Mapping[str, Any], ...]:
        return tuple({"x": value} for value in values)

    ramp = torch.arange(10.0)
    either_sign = inputs(torch.ones(3, 3), -torch.ones(3, 3))
    return [
        _case(programs.branch_on_item, either_sign),
        _case(programs.branch_on_tensor, either_sign),
        _case(programs.count_from_tensor, inputs(torch.tensor([1.0, 2.0]), torch.zeros(2))),
        _case(programs.stop_at_negative, inputs(ramp, ramp - 3)),
        _case(programs.stack_of_three, inputs(torch.ones(3))),
    ]


def _case(fn: Callable[..., Any], inputs: tuple[Mapping[str, Any], ...]) -> Case:
    return Case(inspect.getdoc(fn) or fn.__name__, fn, inputs)


def _bart() -> Case | None:
    """A tiny BART whose last encoder layer overflows float16 on one of two inputs, and there takes the clamp.

    A layer norm is the last step before the test. It gives a flat vector values of about 1, and a vector with one peak
    a value of about 4; times a weight of 30000, only the second is above 65504.
    """
    try:
        from transformers import BartConfig, BartModel
    except ImportError:
        return None
    import torch

    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=16,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=32,
    )
    model = BartModel(config).eval()
    flat, peaked = 4, 5
    with torch.no_grad():
        signs = torch.ones(16)
        signs[::2] = -1.0
        words = model.encoder.embed_tokens.weight
        words[flat], words[peaked] = signs, torch.eye(16)[3] * 4
        model.encoder.layers[-1].final_layer_norm.weight.fill_(30000.0)
        for layer in model.decoder.layers:  # so that the great values do not overflow again in the decoder
            layer.encoder_attn.k_proj.weight.mul_(1e-3)
            layer.encoder_attn.v_proj.weight.mul_(1e-3)
    inputs = tuple(
        {"input_ids": torch.full((2, 6), word), "decoder_input_ids": torch.tensor([[2, 7, 8], [2, 9, 10]])}
        for word in (peaked, flat)
    )
    return Case("BartModel, an input that overflows and one that does not", model.half(), inputs)


def _show(console: Console, case: Case) -> Outcome:
    from rich.text import Text

    from graphweld.report.render.terminal import counted, headline

    outcome = _run(case)
    report = outcome.report
    tried = counted(len(case.inputs), "input")
    if outcome.difference is not None:
        verdict, style = f"WRONG: {outcome.difference}", "bold red"
    elif not report.is_whole:
        codes = sorted({diagnostic.code for diagnostic in report.diagnostics})
        verdict, style = f"not welded ({', '.join(codes) or 'no code'}); left to torch, {tried} as in eager", "yellow"
    elif report.before.is_whole:
        verdict, style = f"does not break on this torch; {tried} as in eager", "green"
    else:
        nodes = ", ".join(dict.fromkeys(site.node for site in report.sites_with("welded") if site.node))
        verdict = f"welded ({nodes}); {tried} as in eager, from {counted(outcome.graphs, 'graph')}"
        style = "green"
    console.print(Text(case.title, style="bold"))
    console.print(Text(f"    {headline(report)}"))
    console.print(Text(f"    {verdict}", style=style))
    return outcome


def _print_report(console: Console, report: Report) -> None:
    from graphweld.report.render.terminal import plain

    if console.is_terminal:
        console.print(report)
    else:
        console.print(plain(report, console.width), markup=False)


def _run(case: Case) -> Outcome:
    import torch

    import graphweld as gw
    from graphweld.testing import CountingBackend

    backend = CountingBackend()
    with torch.no_grad():
        report = gw.explain(case.fn, (), dict(case.inputs[0]))
        compiled = gw.compile(case.fn, backend=backend, fullgraph=report.is_whole)
        found = [_difference(compiled, case.fn, kwargs) for kwargs in case.inputs]
    wrong = [f"input {number}: {what}" for number, what in enumerate(found) if what is not None]
    return Outcome(report, backend.graphs, wrong[0] if wrong else None)


def _difference(compiled: Callable[..., Any], eager: Callable[..., Any], kwargs: Mapping[str, Any]) -> str | None:
    from graphweld.testing import difference

    expected = eager(**_copied(kwargs))
    try:
        actual = compiled(**_copied(kwargs))
    except Exception as error:  # noqa: BLE001  (whatever it is, eager did not raise it: a demo tells, and goes on)
        return f"raises {type(error).__name__}, eager does not"
    return difference(actual, expected)


def _copied(kwargs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in kwargs.items()}


def _close(console: Console, outcomes: list[Outcome]) -> None:
    from graphweld.report.render.terminal import counted

    wrong = [o for o in outcomes if o.difference is not None]
    welded = sum(o.report.is_whole and not o.report.before.is_whole for o in outcomes)
    never_broke = sum(o.report.is_whole and o.report.before.is_whole for o in outcomes)
    rest = len(outcomes) - welded - never_broke
    console.print(
        f"{counted(len(outcomes), 'program')}: {welded} welded into one graph, {never_broke} did not break, "
        f"{rest} not welded and named, {len(wrong)} wrong.",
        style="bold",
    )
    if wrong:
        raise click.exceptions.Exit(1)
