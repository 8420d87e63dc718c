"""The state of the corpus as a table: one line a program that is not as eager.

python -m tests.conformance.report                         # backend eager, all programs
python -m tests.conformance.report --rows aot_eager-grad,dynamic-sizes --kind branch --only joins.
python -m tests.conformance.report --rows export-exported,saved-exported,onnx-exported --log rows.jsonl
python -m tests.conformance.report --rows package-exported --each 8 --limit 300 --log rows.jsonl

With --log each result is added to a file as it comes, and what the file has is not run again.
"""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing
import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any


def _too_long(*_: Any) -> None:
    raise TimeoutError("over the limit of time")


Row = tuple[str, str, str, str, str, float]


def one(job: tuple[str, str, str, int]) -> Row:
    import torch

    from tests.corpus.program import by_name

    from . import exported, harness

    name, target, variant, limit = job
    torch.set_num_threads(1)
    start = time.perf_counter()
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, limit, 5)  # again and again: torch swallows some exceptions
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grad = variant == "grad"
            if variant == "exported":
                exported.check(by_name(name), exported.WAYS[target], exported.RTOL[target])
            else:
                harness.check(by_name(name), harness.TARGETS[target], "tensor" if grad else variant, grad=grad)
        status, note = "pass", ""
    except Exception as error:  # noqa: BLE001  (a report lists whatever went wrong)
        codes = harness.refusal_codes(error)
        if codes:
            status = "refused"
            note = ",".join(codes) + " " + " | ".join(str(getattr(d, "message", d)) for d in error.diagnostics[:1])  # type: ignore[attr-defined]
        else:
            status = "differs" if isinstance(error, AssertionError) else "crash"
            cause = error.__cause__ or error.__context__
            note = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            if cause is not None and status == "crash":
                note += f"  <- {type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return name, target, variant, status, " ".join(note.split()), time.perf_counter() - start


def main() -> None:
    from tests.conformance import exported
    from tests.conformance.test_conformance import MATRIX
    from tests.corpus.program import programs

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="eager-tensor", help="comma list of target-variant, or all")
    parser.add_argument("--kind", default="", help="comma list of tags, all of which a program must have")
    parser.add_argument("--without", default="", help="comma list of tags that a program must not have")
    parser.add_argument("--only", default="", help="comma list of parts of program names")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="long notes")
    parser.add_argument("--each", type=int, default=1, help="of the chosen, only each so many")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one program")
    parser.add_argument("--log", type=Path, help="a file of JSON lines to continue")
    options = parser.parse_args()
    kinds, without = ({w for w in text.split(",") if w} for text in (options.kind, options.without))
    exports = [(p, w, "exported") for w in exported.WAYS for p in programs() if exported.has_tensors_only(p)]
    jobs = [
        (p.name, t, v, options.limit)
        for p, t, v in (*MATRIX, *exports)
        if (options.rows == "all" or f"{t}-{v}" in options.rows.split(","))
        and kinds <= p.tags
        and not without & p.tags
        and (not options.only or any(w in p.name for w in options.only.split(",")))
    ][:: options.each]
    rows: list[Row] = []
    if options.log is not None and options.log.exists():
        known = [tuple(json.loads(line)) for line in options.log.read_text().splitlines()]
        chosen = {job[:3] for job in jobs}
        rows = [row for row in known if row[:3] in chosen]
        jobs = [job for job in jobs if job[:3] not in {row[:3] for row in rows}]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=60) as pool:
        for row in pool.imap_unordered(one, jobs, chunksize=4):
            rows.append(row)
            if options.log is not None:
                with options.log.open("a") as log:
                    print(json.dumps(row), file=log)
            name, target, variant, status, note, seconds = row
            if status != "pass":
                note = note if options.full else note[:170]
                print(f"{status:8} {target}-{variant:7} {name:45} {seconds:5.1f} s  {note}", flush=True)
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for _, target, variant, status, _, _ in rows:
        counts[f"{target}-{variant}"][status] += 1
    slow = sorted(rows, key=lambda r: -r[5])[:5]
    print("slowest:", ", ".join(f"{r[0]} {r[5]:.1f} s" for r in slow))
    for row, c in counts.items():
        print(f"{row:18} " + "  ".join(f"{n} {word}" for word, n in c.most_common()))


if __name__ == "__main__":
    main()
