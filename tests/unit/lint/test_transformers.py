"""The check over a big library: how long it takes, how much it finds, and how much of that is true.

`sites.txt` is a list that was made in another way; `sample.txt` holds 50 findings that were judged by reading.
"""

from __future__ import annotations

import importlib.util
import resource
from functools import cache
from pathlib import Path

import pytest

from graphweld.diagnostics.finding import Finding
from graphweld.lint import Settings, check

DATA = Path(__file__).parent / "transformers"
MOST_SECONDS = 60.0  # of processor time, on one core


def rows(name: str) -> list[tuple[str, int, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if not line.startswith("#"):
            place, _, rest = line.partition(" ")
            file, _, number = place.partition(":")
            found.append((file, int(number), rest))
    return found


@cache
def package() -> Path:
    spec = importlib.util.find_spec("transformers")
    if spec is None or spec.origin is None:
        pytest.skip("transformers is not installed")
    return Path(spec.origin).parent


def places(findings: list[Finding]) -> set[tuple[str, int]]:
    return {
        (str(Path(finding.span.file).relative_to(package())), line)
        for finding in findings
        if finding.span is not None
        for line in range(finding.span.line, finding.span.end_line + 1)
    }


def test_the_list_and_the_sample_are_whole() -> None:
    judged = [rest.split()[1] for _, _, rest in rows("sample.txt")]
    assert (len(rows("sites.txt")), len(judged)) == (135, 50)
    assert judged.count("true") + judged.count("false:") == 50
    assert judged.count("false:") <= 5


def test_a_few_models() -> None:
    """The same as below, on a few of its files: every day."""
    names = {"longformer", "owlvit", "whisper", "qwen2_vl"}
    wanted = {(file, line) for file, line, _ in rows("sites.txt") if Path(file).parent.name in names}
    found = places(check([package() / "models" / name for name in names], Settings()))
    assert len(wanted) > 4
    assert wanted <= found


@pytest.mark.slow
def test_all_of_it_is_quick_and_hardly_a_site_is_missed() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    found = places(check([package()], Settings()))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < MOST_SECONDS
    sites = [(file, line) for file, line, _ in rows("sites.txt")]
    missed = [site for site in sites if site not in found]
    assert len(missed) <= 0.05 * len(sites), missed
    judged = {(file, line): rest for file, line, rest in rows("sample.txt")}
    lost = [place for place, rest in judged.items() if rest.endswith("true") and place not in found]
    assert not lost, "findings that were judged true are found"
