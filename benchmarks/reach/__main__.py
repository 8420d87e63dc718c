"""How far graphweld reaches into code that nobody here wrote: the models of `transformers`, tiny, each in one process.

python -m benchmarks.reach run                                    # everything; goes on where it stopped
python -m benchmarks.reach run --variants eval,train --only 'bart|whisper'
python -m benchmarks.reach run --sites                            # models with a data-dependent site in their source
python -m benchmarks.reach page                                   # docs/reach.md from the results
python -m benchmarks.reach show bart --variant train              # one record, measured now

Results are a JSON file for each variant in benchmarks/reach/results: versions, and a record for each model.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}

from benchmarks.reach.architectures import Architecture, architectures
from benchmarks.reach.page import PAGE, RESULTS, VARIANTS, is_whole, page
from benchmarks.reach.sites import has_site

MEMORY = 14 << 30
WAITING = 6  # times the limit of CPU time that a model may take on a busy machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="measure what has no record yet")
    run.add_argument("--variants", default=",".join(VARIANTS))
    run.add_argument("--only", default=".*", help="a regular expression of model types")
    run.add_argument("--sites", action="store_true", help="only models with a data-dependent site in their source")
    run.add_argument("--again", action="store_true", help="measure models anew that have a record")
    run.add_argument("--failed", action="store_true", help="measure models anew that graphweld did not weld")
    run.add_argument("--seconds", type=float, default=90, help="of CPU time, the limit of one model")
    show = verbs.add_parser("show", help="measure one model and print its record")
    show.add_argument("key")
    show.add_argument("--variant", default="eval")
    show.add_argument("--seconds", type=float, default=600)
    verbs.add_parser("page", help="write docs/reach.md")
    options = parser.parse_args()
    if options.verb == "page":
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    _load()
    if options.verb == "show":
        (architecture,) = [a for a in architectures() if a.key == options.key]
        print(json.dumps(_measured(architecture, options.variant, options.seconds, None), indent=1))
        return 0
    for variant in options.variants.split(","):
        _survey(variant, options)
    return 0


def _survey(variant: str, options: Any) -> None:
    path = RESULTS / f"{variant}.json"
    known: dict[str, Any] = json.loads(path.read_text())["models"] if path.exists() else {}
    chosen = [a for a in architectures() if re.fullmatch(options.only, a.key) and (not options.sites or has_site(a))]
    todo = [
        a
        for a in chosen
        if a.key not in known
        or options.again
        or (options.failed and known[a.key].get("eager") == "ok" and not is_whole(known[a.key]))
    ]
    levels = _levels()
    for i, architecture in enumerate(todo):
        level = levels.get(architecture.key)
        record = _measured(architecture, variant, options.seconds, level)
        known[architecture.key] = record
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".tmp").write_text(json.dumps({"versions": _versions(), "models": known}, indent=1))
        path.with_suffix(".tmp").replace(path)
        print(f"{variant} {i + 1}/{len(todo)} {architecture.key}: {_line(record)}", flush=True)


def _levels() -> dict[str, Any]:
    """How small a model was that ran, in any variant: tried first in the others."""
    records = [json.loads(path.read_text())["models"] for path in RESULTS.glob("*.json")]
    return {key: record["level"] for models in records for key, record in models.items() if "level" in record}


def _measured(architecture: Architecture, variant: str, seconds: float, level: Any) -> dict[str, Any]:
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_child, args=(architecture, variant, there, level, seconds)
    )
    record: dict[str, Any] = {"class": architecture.class_name}
    start = time.perf_counter()
    process.start()
    there.close()
    patience = WAITING * seconds
    try:
        while here.poll(max(0, patience - (time.perf_counter() - start))):
            record |= here.recv()
        record["stopped"] = f"after {patience:.0f} s"
    except EOFError:  # the child has ended
        pass
    process.kill() if "stopped" in record else process.join()
    process.join()
    if process.exitcode and "stopped" not in record:
        is_slow = process.exitcode == -signal.SIGXCPU
        record["stopped"] = f"after {seconds:.0f} s of CPU" if is_slow else f"exit code {process.exitcode}"
    return record


def _child(architecture: Architecture, variant: str, told: Connection, level: Any, seconds: float) -> None:
    from benchmarks.reach.configurations import LEVELS
    from benchmarks.reach.measure import measure

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    warnings.simplefilter("ignore")
    levels = LEVELS if level is None else (tuple(level), *LEVELS)
    measure(architecture, variant, told.send, levels)


def _load() -> None:
    """Import once, before there are children."""
    import torch
    import transformers  # noqa: F401

    import benchmarks.reach.measure  # noqa: F401

    torch.set_num_threads(1)
    _warm()


def _warm() -> None:
    """Trace in the parent: what torch and graphweld load, look up and convert at first is not one model's time.

    The three share most of what the models of `transformers` have in common: masks, caches, layers, attention.
    """
    from benchmarks.reach.measure import measure

    for architecture in architectures():
        if architecture.key in ("bart", "gemma2", "vit"):
            measure(architecture, "eval", lambda _: None)


def _versions() -> dict[str, str]:
    import torch
    import transformers

    import graphweld

    return {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "graphweld": graphweld.__version__,
    }


def _line(record: dict[str, Any]) -> str:
    if record.get("eager") != "ok":
        return f"eager fails: {str(record.get('eager'))[:120]}"
    words = [str(record["stopped"])] if "stopped" in record else []
    for who in ("torch", "graphweld"):
        row = record.get(who)
        if row is not None:
            bad = row.get("differs") or row.get("error", "")[:40]
            words.append(f"{who} {bad if bad else row['graphs']}")
    return ", ".join(words)


if __name__ == "__main__":
    sys.exit(main())
