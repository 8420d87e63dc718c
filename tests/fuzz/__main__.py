"""Run random programs until the time is up: `python -m tests.fuzz --seconds 3600`.

Each program has a seed, which also says where it runs: every second one with gradients, every twentieth on aot_eager,
others on eager. What fails is shrunk, and printed with its seed, once for each kind of failure; `--seed N --count 1`
runs one again.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable

import torch._dynamo.guards
from pysource_minimize import CouldNotMinimize, StopMinimization, minimize

from tests.fuzz.check import EndlessError, check
from tests.fuzz.programs import Chance, program

AOT = (3, 24)  # of 40 programs; each takes the time of four others
SAY = 100  # programs between two lines that tell how far it is
MOST_SECONDS = 60  # of the processor's time to shrink a program


def kind_of(error: BaseException) -> str:
    """What two failures of one kind have in common."""
    first = str(error).strip().partition("\n")[0]
    return re.sub(r"\d+", "0", f"{type(error).__name__}: {first}")[:100]


def failure(text: str, target: str, grad: bool, seen: Counter[str]) -> str:
    """The kind of failure, or nothing."""
    try:
        check(text, target, grad, seen)
    except (Exception, EndlessError) as error:  # noqa: BLE001 - whatever a program brings to light is the result
        return kind_of(error)
    return ""


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """`text` with as much left out as it still fails without, as far as that is found in time."""
    end, smallest = time.process_time() + MOST_SECONDS, text

    def still_fails(candidate: str) -> bool:
        nonlocal smallest
        if time.process_time() > end:
            raise StopMinimization
        found = fails(candidate)
        if found and len(candidate) < len(smallest):
            smallest = candidate
        return found

    with contextlib.suppress(CouldNotMinimize):  # it does not fail every time
        minimize(text, still_fails, retries=0)
    return smallest  # what `minimize` returns when it is stopped may be a text that does not fail


def run(
    first: int, count: int, seconds: float, target: str | None, grad: bool | None
) -> tuple[Counter[str], Counter[str]]:
    """How many programs ended in which way, and what the failures were."""
    end, seen, kinds = time.monotonic() + seconds, Counter[str](), Counter[str]()
    for number in range(first, first + count):
        if time.monotonic() > end:
            break
        where = (
            target or ("aot_eager" if number % 40 in (3, 24) else "eager"),
            number % 2 == 1 if grad is None else grad,
        )
        text = program(Chance(number), where[1])
        kind = failure(text, *where, seen)
        kinds[kind] += bool(kind)
        if kind and kinds[kind] == 1:
            print(f"---- seed {number}, {where}: {kind}\n{text}", flush=True)
            smallest = shrunk(text, lambda one, kind=kind, where=where: failure(one, *where, Counter()) == kind)
            print(f"---- shrunk:\n{smallest}", flush=True)
        if (number - first + 1) % SAY == 0:
            print(f"seeds {first} to {number}, {dict(seen)}", flush=True)
    return seen, +kinds


def quick() -> None:
    """Leave out what only measures: torch times the guards of each compiled program, with empty caches."""
    torch._dynamo.guards.profile_guard_manager = lambda *args: 0.0  # type: ignore[assignment]
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first program; the next ones follow")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=1_000_000, help="programs at most")
    parser.add_argument("--target", help="for all programs")
    parser.add_argument("--grad", action=argparse.BooleanOptionalAction, help="for all programs")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    quick()
    seen, kinds = run(args.seed, args.count, args.seconds, args.target, args.grad)
    print(f"done: {sum(seen.values())} programs, {dict(seen)}; failures: {dict(kinds)}")


if __name__ == "__main__":
    main()
