"""What a loop keeps for its backward: the most memory that a call and its gradient take beside their result.

    python benchmarks/loop_memory.py             # 100, 1000 and 10,000 trips
    python benchmarks/loop_memory.py --quick     # 100 trips, to see that it runs

The body is `x = x * 0.9 + 0.1 * tanh(x)` on 16,384 floats, 64 KiB; the number of trips is a tensor. Each row is a
process of its own, which compiles, runs a loop of three trips, and then has the kernel reset its peak (Linux only).
glibc is told to map each tensor by itself, so that what is freed is given back.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent)]
warnings.filterwarnings("ignore")

SUBJECTS = {
    "eager": {},
    "eager backend": {"backend": "eager"},
    "eager backend, checkpoint": {"backend": "eager", "checkpoint": True},
    "aot_eager": {"backend": "aot_eager"},
    "aot_eager, checkpoint": {"backend": "aot_eager", "checkpoint": True},
    "inductor": {"backend": "inductor"},
    "inductor, checkpoint": {"backend": "inductor", "checkpoint": True},
}
NUMBERS = 16_384
ROW = NUMBERS * 4


def program(x: Any, trips: Any) -> Any:
    import torch

    done = torch.zeros((), dtype=torch.int64)
    while done < trips:
        x = x * 0.9 + 0.1 * torch.tanh(x)
        done = done + 1
    return x


def _memory(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) * 1024


def measure(subject: str, trips: int) -> dict[str, Any]:
    """One row, in this process."""
    import torch

    import graphweld as gw

    torch.set_num_threads(1)
    run = gw.compile(program, **SUBJECTS[subject]) if SUBJECTS[subject] else program
    x = torch.linspace(-1, 1, NUMBERS, requires_grad=True)

    def gradient(trips: int) -> Any:
        (found,) = torch.autograd.grad(run(x, torch.tensor(trips)).sum(), x)
        return found

    gradient(3)
    Path("/proc/self/clear_refs").write_text("5")
    before, start = _memory("VmRSS"), time.perf_counter()
    gradient(trips)
    seconds, peak = time.perf_counter() - start, _memory("VmHWM") - before
    return {"bytes": peak, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("SUBJECT", "TRIPS"), help="one row, as JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one[0], int(given.one[1]))))
        return
    counts = (100,) if given.quick else (100, 1000, 10_000)
    print(f"{'':28}{'trips':>8}{'peak MiB':>10}{'carries kept':>14}{'seconds':>9}")
    for subject in SUBJECTS:
        for trips in counts:
            command = [sys.executable, __file__, "--one", subject, str(trips)]
            own = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(ROW // 2)}
            row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=own).stdout)
            kept = row["bytes"] / ROW
            print(f"{subject:28}{trips:8}{row['bytes'] / 2**20:10.1f}{kept:14.0f}{row['seconds']:9.2f}", flush=True)


if __name__ == "__main__":
    main()
