"""`graphweld fix`: a function's branches written out with `torch.cond`, where running it shows no difference."""

from __future__ import annotations

import copy
import importlib.util
import sys
import textwrap
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from graphweld import convert, syntax
from graphweld.diagnostics import UsageError
from graphweld.report.model import SiteReport
from graphweld.syntax.explicit import draws, spell_out
from graphweld.syntax.source import find_definition
from graphweld.targets.explain import explain

Inputs = Sequence[tuple[Any, ...]]
Difference = Callable[[Any, Any], str | None]
_CONSTRUCTS = {"if", "elif"}


def fixed_file(
    fn: Callable[..., Any],
    find: Callable[[types.ModuleType], Any],
    inputs: Inputs,
    difference: Difference,
    scratch: Path,
) -> str:
    """The text of `fn`'s file, with its branches on tensor values written out; as it is where there are none.

    `find` gives the function out of a module made from the new text, which is written into the folder `scratch`;
    `difference` says how one result differs from another.

    Raises:
        UsageError: a branch or loop cannot be written out, or differs when it is.
    """
    code = convert.code_of(fn)
    file = Path(code.co_filename)
    definition = find_definition(code)
    node, lines = definition.node, file.read_text(encoding="utf-8").splitlines(keepends=True)
    chosen: set[int] = set()
    for args in inputs:
        for site in explain(fn, args).sites:
            if site.verdict == "left" or site.file != code.co_filename or site.function != definition.qualname:
                continue
            if site.construct not in _CONSTRUCTS or site.verdict != "welded":
                raise _refused(file, site.line, definition.qualname, _why(site))
            chosen.add(site.line)
    if not chosen:
        return "".join(lines)
    first, last = node.lineno, node.end_lineno or node.lineno
    own = "".join(lines[first - 1 : last])
    text = textwrap.dedent(own)
    drawn = next(draws(text), None)
    if drawn is not None:
        reason = f"`{drawn}` draws random numbers, and torch.cond's backward draws others"
        raise _refused(file, first, definition.qualname, reason)
    try:
        written = spell_out(text, {line - first + 1 for line in chosen})
    except syntax.UnsupportedSyntax as error:
        line = first + error.line - 1
        raise _refused(file, line, definition.qualname, error.reason) from error
    indent = own[: len(own) - len(own.lstrip())]
    lines[first - 1 : last] = [textwrap.indent(written, indent)]
    result = "".join(lines)
    package = getattr(sys.modules.get(getattr(fn, "__module__", "")), "__package__", None) or ""
    made = find(_module(result, file, scratch, package))
    for args in inputs:
        found = _differs(fn, made, args, difference)
        if found is not None:
            raise _refused(file, first, definition.qualname, f"written out, it differs: {found}")
    return result


def _why(site: SiteReport) -> str:
    if site.verdict == "refused":
        return f"graphweld refuses its `{site.construct}`, too"
    if site.construct in ("while", "for"):
        return "torch's loop operator gives a wrong gradient for a loop of no trips"
    return f"only `if` statements are, and this is `{site.construct}`"


def _refused(file: Path, line: int, name: str, reason: str) -> UsageError:
    return UsageError.because(f"{name} is not written out: {reason} ({file.name}:{line})")


def _module(text: str, file: Path, scratch: Path, package: str) -> types.ModuleType:
    path = scratch / file.name
    path.write_text(text, encoding="utf-8")
    package = f"{package}." if package else ""  # for its relative imports
    spec = importlib.util.spec_from_file_location(f"{package}graphweld_fixed_{file.stem}", path)
    assert spec is not None, "a file with suffix .py has a loader"
    assert spec.loader is not None, "a file with suffix .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where torch looks for a function's globals
    spec.loader.exec_module(module)
    if vars(module).get("torch") is not torch:
        raise UsageError.because(f"{file} does not import torch under its own name", "`import torch` at its top")
    return module


def _differs(fn: Any, made: Any, args: tuple[Any, ...], difference: Difference) -> str | None:
    """What differs between a function and the one written out: as plain Python, and as one graph."""
    if isinstance(fn, torch.nn.Module):
        made.load_state_dict(fn.state_dict())
    torch.compiler.reset()
    wanted = _observed(fn, args)
    for candidate in (made, torch.compile(made, fullgraph=True, backend="aot_eager")):
        try:
            found = difference(_observed(candidate, args), wanted)
        except Exception as error:  # noqa: BLE001 - whatever torch.cond says of the two sides is the reason
            return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        if found is not None:
            return found
    return None


def _observed(fn: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """The result of a call, its arguments behind it, and the gradients of the arguments."""
    given = copy.deepcopy(args)
    leaves = [value for value in given if isinstance(value, torch.Tensor)]
    floats = [leaf.requires_grad_() for leaf in leaves if leaf.is_floating_point()]
    torch.manual_seed(0)
    result = fn(*given)
    sums = [value.sum() for value in _tensors(result) if value.requires_grad]
    found = torch.autograd.grad(sums, floats, allow_unused=True) if sums and floats else [None] * len(floats)
    pairs = zip(floats, found, strict=True)
    gradients = [torch.zeros_like(leaf) if grad is None else grad.contiguous() for leaf, grad in pairs]
    return {"result": result, "args": [leaf.detach() for leaf in leaves], "gradients": gradients}


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [tensor for part in parts for tensor in _tensors(part)]
