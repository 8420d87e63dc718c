"""Run random programs until the time is up: `python -m tests.fuzz --seconds 3600 --target aot_eager --grad`.

Each round has a seed, printed first, so that it can be run again with `--seed`. What fails is shrunk, and printed once
for each kind of failure.
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.check import check
from tests.fuzz.programs import programs


def run_round(number: int, count: int, target: str, grad: bool, seen: Counter[str]) -> tuple[str, Exception] | None:
    """One round of programs; the smallest one that failed, with its failure."""
    last: list[str] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(programs())
    def one(text: str) -> None:
        try:
            check(text, target, grad, seen)
        except Exception:
            last[:] = [text]
            raise

    try:
        one()
    except Exception as error:  # noqa: BLE001 - whatever a program brings to light is the result
        return last[0], error
    return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first round; the next ones follow")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=100, help="programs in a round")
    parser.add_argument("--target", default="eager")
    parser.add_argument("--grad", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    end, seen, kinds, number = time.monotonic() + args.seconds, Counter[str](), Counter[str](), args.seed
    while time.monotonic() < end:
        print(f"seed {number}, {args.target}{' with gradients' if args.grad else ''}: {dict(seen)}", flush=True)
        failed = run_round(number, args.count, args.target, args.grad, seen)
        if failed is not None:
            text, error = failed
            kind = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:100]}"
            kinds[kind] += 1
            if kinds[kind] == 1:
                print(f"---- seed {number}: {kind}\n{text}", flush=True)
        number += 1
    print(f"done: {dict(seen)}; failures: {dict(kinds)}")


if __name__ == "__main__":
    main()
