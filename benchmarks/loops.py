"""A loop until a tolerance: what a call costs beside its peers and beside the limit. A fixed report, in one run.

    python benchmarks/loops.py             # n = 16, 4096, 262144
    python benchmarks/loops.py --quick     # small sizes only, to see that it runs

The body is `x = x * 0.95 + 0.01 * sin(x)`, until `x.norm() <= 1e-3` or 200 trips. The subjects take turns within each
round. A subject that cannot run here (JAX where it is not installed, C++ without a compiler) is left out, with a word.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent)]
warnings.filterwarnings("ignore")

from benchmarks.side_by_side import medians, prepare  # noqa: E402

SIZES = (16, 4096, 262144)
MOST = 200

CPP = """
#include <cmath>
extern "C" void run(const float* in, float* x, long n, long most) {
    for (long i = 0; i < n; i++) x[i] = in[i];
    for (long trip = 0; trip < most; trip++) {
        double sum = 0;
        for (long i = 0; i < n; i++) sum += double(x[i]) * x[i];
        if (std::sqrt(sum) <= 1e-3) return;
        for (long i = 0; i < n; i++) x[i] = x[i] * 0.95f + 0.01f * std::sin(x[i]);
    }
}
"""


def program(x):
    trips = 0
    while x.norm() > 1e-3 and trips < 200:
        x = x * 0.95 + 0.01 * x.sin()
        trips += 1
    return x


def by_hand(x):
    import torch
    from torch._higher_order_ops import while_loop

    def goes_on(trips, x):
        return (x.norm() > 1e-3) & (trips < 200)

    def body(trips, x):
        return trips + 1, x * 0.95 + 0.01 * x.sin()

    return while_loop(goes_on, body, (torch.zeros((), dtype=torch.int64), x))[1]


def with_jax() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def goes_on(state):
        return (jnp.linalg.norm(state[1]) > 1e-3) & (state[0] < MOST)

    run = jax.jit(
        lambda x: jax.lax.while_loop(goes_on, lambda s: (s[0] + 1, s[1] * 0.95 + 0.01 * jnp.sin(s[1])), (0, x))[1]
    )
    return lambda x: run(x.numpy()).block_until_ready()


def with_cpp() -> Callable[..., Any]:
    import torch

    folder = Path(tempfile.mkdtemp())
    (folder / "loop.cpp").write_text(CPP)
    built = [str(folder / "loop.cpp"), "-o", str(folder / "loop.so")]
    subprocess.run(["g++", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", *built], check=True)
    run = ctypes.CDLL(str(folder / "loop.so")).run

    def call(x):
        out = torch.empty_like(x)
        run(
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_void_p(out.data_ptr()),
            ctypes.c_long(x.numel()),
            ctypes.c_long(MOST),
        )
        return out

    return call


def subjects() -> dict[str, Callable[[], Callable[..., Any]]]:
    import torch

    import graphweld as gw

    return {
        "eager": lambda: program,
        "torch.compile, broken": lambda: torch.compile(program),
        "while_loop by hand": lambda: torch.compile(by_hand, fullgraph=True),
        "TorchScript": lambda: torch.jit.script(program),
        "graphweld": lambda: gw.compile(program),
        "JAX jit": with_jax,
        "C++": with_cpp,
    }


def measure(n: int, quick: bool) -> dict[str, float]:
    """Median milliseconds of a call."""
    import torch

    x = torch.rand(n)
    rounds, repeats = (3, 3) if quick else (21, 20 if n < 10**5 else 3)
    with torch.no_grad():
        want = program(x)

        def check(fn: Callable[..., Any]) -> None:
            for _ in range(3):
                torch.testing.assert_close(torch.as_tensor(fn(x)), want, rtol=1e-3, atol=1e-5)

        def milliseconds(fn: Callable[..., Any]) -> float:
            start = time.perf_counter()
            for _ in range(repeats):
                fn(x)
            return (time.perf_counter() - start) / repeats * 1e3

        return medians(prepare(subjects(), check, f"at n={n}"), rounds, milliseconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    found = {n: measure(n, quick) for n in (SIZES[:2] if quick else SIZES)}
    names = list(dict.fromkeys(name for row in found.values() for name in row))
    print(f"{'milliseconds a call':24}" + "".join(f"{n:>12}" for n in found))
    for name in names:
        print(f"{name:24}" + "".join(f"{row.get(name, float('nan')):12.3f}" for row in found.values()))
    for name in ("while_loop by hand", "torch.compile, broken", "JAX jit", "C++"):
        if name in names:
            ratios = [row["graphweld"] / row[name] if name in row else float("nan") for row in found.values()]
            print(f"{'graphweld / ' + name:36}" + "".join(f"{ratio:10.2f}" for ratio in ratios))
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "loops.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
