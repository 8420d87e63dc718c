"""Branches: what a call costs, what compiling costs, what conversion adds. A fixed report, side by side in one run.

    python benchmarks/branches.py                    # everything (minutes: Inductor compiles nests)
    python benchmarks/branches.py --part calls       # one part: calls, compile_time, overhead
    python benchmarks/branches.py --quick            # small sizes only, to see that it runs

A table goes to the terminal and a JSON file to benchmarks/results/. Numbers of different runs or machines are not
comparable; the ratios within one run are.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
warnings.filterwarnings("ignore")

from benchmarks.side_by_side import medians, prepare  # noqa: E402

SIZES = (9, 4096, 2**20)
SEQUENTIAL = (1, 10, 100)
DEPTHS = (1, 2, 3, 4, 5, 6)
BODIES = ("light", "heavy")
TIMEOUT = 300  # seconds for one cell of the compile-time table


# ------------------------------------------------------------------------------------------ part 1: a call
def program_b(x):
    if x.sum() > 0:
        return x + 1
    else:
        return x - 1


def cond_by_hand(x):
    import torch

    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


def where_by_hand(x):
    import torch

    return torch.where(x.sum() > 0, x + 1, x - 1)


def subjects() -> dict[str, Callable[[], Callable[..., Any]]]:
    import torch

    import graphweld as gw

    return {
        "eager": lambda: program_b,
        "torch.compile, broken": lambda: torch.compile(program_b),
        "torch.cond by hand": lambda: torch.compile(cond_by_hand, fullgraph=True),
        "torch.where by hand": lambda: torch.compile(where_by_hand, fullgraph=True),
        "TorchScript": lambda: torch.jit.script(program_b),
        "graphweld": lambda: gw.compile(program_b),
    }


def calls(quick: bool) -> dict[str, Any]:
    """Median time of a call, the subjects taking turns within each round."""
    import torch

    out: dict[str, Any] = {}
    for n in SIZES[:2] if quick else SIZES:
        inputs = [torch.rand(n), -torch.rand(n)]
        rounds, repeats = (5, 20) if quick else (31, 200 if n < 10**5 else 40)

        def check(fn: Callable[..., Any], inputs: Any = inputs) -> None:
            for x in inputs * 3:
                torch.testing.assert_close(fn(x), program_b(x))

        def microseconds(fn: Callable[..., Any], inputs: Any = inputs, repeats: int = repeats) -> float:
            start = time.perf_counter()
            for _ in range(repeats // 2):
                fn(inputs[0])
                fn(inputs[1])
            return (time.perf_counter() - start) / repeats * 1e6

        out[str(n)] = medians(prepare(subjects(), check, f"at n={n}"), rounds, microseconds)
    return out


# ------------------------------------------------------------------------------------------ part 2: compile time
def source(kind: str, size: int, body: str, how: str) -> str:
    """A program with `size` sequential branches, or a full binary nest of depth `size`."""
    then, other = {"light": ("x + {k}.0", "x * 0.5 - {k}.0"), "heavy": ("x @ W + {k}.0", "(x - {k}.0) @ W")}[body]
    lines = ["import torch", "W = torch.eye(8) * 0.9", "def f(x):"]
    counter = iter(range(10**6))

    def nest_python(depth: int, pad: str) -> None:
        k = next(counter)
        for head, text in ((f"if x.sum() > {k}:", then), ("else:", other)):
            lines.append(f"{pad}{head}")
            lines.append(f"{pad}    x = {text.format(k=k)}")
            if depth > 1:
                nest_python(depth - 1, pad + "    ")

    def nest_cond(depth: int) -> str:
        k = next(counter)
        sides = []
        for text in (then, other):
            value = text.format(k=k)
            sides.append(f"(lambda x: {nest_cond(depth - 1)})({value})" if depth > 1 else value)
        return f"torch.cond(x.sum() > {k}, lambda x: {sides[0]}, lambda x: {sides[1]}, (x,))"

    if kind == "nest":
        if how == "graphweld":
            nest_python(size, "    ")
        else:
            lines.append(f"    x = {nest_cond(size)}")
    else:
        for k in range(size):
            if how == "graphweld":
                lines += [
                    f"    if x.sum() > {k}:",
                    f"        x = {then.format(k=k)}",
                    "    else:",
                    f"        x = {other.format(k=k)}",
                ]
            else:
                sides = f"lambda x: {then.format(k=k)}, lambda x: {other.format(k=k)}"
                lines.append(f"    x = torch.cond(x.sum() > {k}, {sides}, (x,))")
    lines.append("    return x")
    return "\n".join(lines) + "\n"


def load(text: str) -> Callable[..., Any]:
    folder = tempfile.mkdtemp(prefix="graphweld-benchmark-")
    path = Path(folder) / "program.py"
    path.write_text(text)
    name = f"graphweld_benchmark_{path.parent.name.rpartition('-')[2]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Dynamo imports the modules of the functions it inlines
    spec.loader.exec_module(module)
    return module.f  # type: ignore[no-any-return]


def one_compile(kind: str, size: int, body: str, how: str, backend: str) -> None:
    """In a process of its own: prints the seconds of the first call, without any cache."""
    import torch
    import torch._inductor.config as config

    import graphweld as gw

    torch.set_num_threads(1)
    config.force_disable_caches = True
    compile_: Any = gw.compile if how == "graphweld" else torch.compile
    warm = compile_(load("import torch\ndef f(x):\n    return torch.sin(x) @ x + 1\n"), backend=backend, fullgraph=True)
    warm(torch.randn(8, 8))
    plain = load(source(kind, size, body, "graphweld"))
    fn = compile_(load(source(kind, size, body, how)), backend=backend, fullgraph=True)
    x = torch.randn(8, 8, generator=torch.Generator().manual_seed(0))
    start = time.perf_counter()
    result = fn(x)
    seconds = time.perf_counter() - start
    torch.testing.assert_close(result, plain(x), rtol=1e-4, atol=1e-4)
    print(json.dumps({"seconds": round(seconds, 2)}))


def compile_time(quick: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    plan = [("sequential", n) for n in SEQUENTIAL] + [("nest", n) for n in DEPTHS]
    if quick:
        plan = [("sequential", 1), ("nest", 2)]
    for body in BODIES:
        for kind, size in plan:
            row: dict[str, Any] = {}
            for how in ("torch.cond by hand", "graphweld"):
                command = [sys.executable, __file__, "--cell", kind, str(size), body, how]
                try:
                    done = subprocess.run(
                        command,
                        capture_output=True,
                        text=True,
                        timeout=TIMEOUT,
                        env=os.environ | {"OMP_NUM_THREADS": "1"},
                    )
                    last = done.stdout.strip().splitlines()[-1:] or [""]
                    row[how] = (
                        json.loads(last[0])["seconds"]
                        if done.returncode == 0
                        else "failed: " + (done.stderr.strip().splitlines()[-1:] or ["?"])[0][:100]
                    )
                except subprocess.TimeoutExpired:
                    row[how] = f"over {TIMEOUT} s"
            out[f"{body} {kind} {size}"] = row
            print(f"  {body} {kind} {size}: {row}", file=sys.stderr)
    return out


# ------------------------------------------------------------------------------------------ part 3: conversion overhead
def without_sites() -> dict[str, Callable[[], tuple[Any, dict[str, Any]]]]:
    import torch
    from torch import nn

    def mlp() -> tuple[Any, dict[str, Any]]:
        torch.manual_seed(0)
        layers = [nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.LayerNorm(16)) for _ in range(20)]
        return nn.Sequential(*layers), {"input": torch.randn(4, 16)}

    cases: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {"mlp of 20 layers": mlp}
    try:
        from tests.models.builders import WITHOUT_SITES

        cases |= WITHOUT_SITES
    except ImportError as error:
        print(f"  transformers models left out: {error}", file=sys.stderr)
    return cases


def overhead(quick: bool) -> dict[str, Any]:
    """Compile time of a model without a site, torch.compile and gw.compile taking turns."""
    import torch
    import torch._inductor.config as config

    import graphweld as gw

    config.force_disable_caches = True
    rounds = 2 if quick else 7
    out: dict[str, Any] = {}
    for backend in ("eager", "inductor"):
        for name, make in without_sites().items():
            if backend == "inductor" and (quick or name != "bert"):
                continue
            times: dict[str, list[float]] = {"torch.compile": [], "graphweld": []}
            turns: list[tuple[str, Any]] = [("torch.compile", torch.compile), ("graphweld", gw.compile)]
            for k in range(rounds + 1):
                for label, compile_ in turns if k % 2 else turns[::-1]:
                    torch.compiler.reset()
                    model, kwargs = make()
                    fn = compile_(model, backend=backend, fullgraph=True)
                    with torch.no_grad():
                        start = time.perf_counter()
                        fn(**kwargs)
                        if k:  # the first round warms up imports
                            times[label].append(time.perf_counter() - start)
            medians = {label: round(statistics.median(rows), 4) for label, rows in times.items()}
            out[f"{name}, {backend}"] = medians | {
                "graphweld / torch.compile": round(medians["graphweld"] / medians["torch.compile"], 3)
            }
    return out


# ------------------------------------------------------------------------------------------ report
def table(title: str, rows: dict[str, dict[str, Any]], unit: str, ratio_to: str | None = None) -> None:
    columns = list(dict.fromkeys(c for row in rows.values() for c in row))
    print(f"\n{title} ({unit})")
    width = max([len(r) for r in rows] + [4])
    print(" " * width + "".join(f"  {c:>22}" for c in columns))
    for name, row in rows.items():
        cells = []
        for c in columns:
            v = row.get(c, "-")
            text = f"{v:.2f}" if isinstance(v, float) else str(v)
            base = row.get(ratio_to or "")
            if isinstance(v, float) and isinstance(base, float) and base and c != ratio_to:
                text += f" ({v / base:.2f}x)"
            cells.append(f"  {text[:22]:>22}")
        print(f"{name:<{width}}" + "".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["calls", "compile_time", "overhead"], action="append")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--cell", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        kind, size, body, how = options.cell
        one_compile(kind, int(size), body, how, "inductor")
        return

    import torch

    torch.set_num_threads(1)
    parts = options.part or ["calls", "overhead", "compile_time"]
    report: dict[str, Any] = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.processor() or platform.machine(),
        "threads": 1,
    }
    for part in parts:
        report[part] = {"calls": calls, "compile_time": compile_time, "overhead": overhead}[part](options.quick)
    if "calls" in report:
        rows = {f"n = {n}": row for n, row in report["calls"].items()}
        table(
            "A call of program (b), median, ratio to torch.compile with its break", rows, "us", "torch.compile, broken"
        )
    if "overhead" in report:
        table("Compile time of a model without a site, median", report["overhead"], "s")
    if "compile_time" in report:
        table(
            "Compile time under Inductor, no cache, ratio to torch.cond by hand",
            report["compile_time"],
            "s",
            "torch.cond by hand",
        )
    path = options.output or HERE / "results" / f"branches-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
