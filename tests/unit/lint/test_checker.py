"""Files, settings, suppressions, baselines; and that nothing makes the check fall over."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from graphweld.diagnostics import UsageError
from graphweld.lint import Settings, baseline, check, check_text
from graphweld.lint.settings import find_settings

PROGRAM = "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return int(x.max())\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("a.py", "sub/b.py", "build/c.py", ".hidden/d.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "none.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


def found(project: Path, *paths: str, **kwargs: object) -> list[tuple[str, str]]:
    given = [project / path for path in paths] or [project]
    findings = check(given, **kwargs)  # type: ignore[arg-type]
    return [(str(Path(f.span.file).relative_to(project)), f.code) for f in findings if f.span]


def configure(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text, encoding="utf-8")


def test_folders_are_searched_in_order_and_build_folders_are_left_out(project: Path) -> None:
    assert found(project) == [("a.py", "GW201"), ("a.py", "GW203"), ("sub/b.py", "GW201"), ("sub/b.py", "GW203")]


def test_a_file_that_is_named_is_checked_once_whatever_is_excluded(project: Path) -> None:
    assert [file for file, _ in found(project, "build/c.py", "build/c.py")] == ["build/c.py", "build/c.py"]


def test_several_processes_find_the_same(project: Path) -> None:
    for number in range(50):
        (project / f"m{number}.py").write_text(PROGRAM, encoding="utf-8")
    script = (
        "import sys\nfrom graphweld.lint import check\n"
        "if __name__ == '__main__':\n"
        "    print(check([sys.argv[1]], jobs=2) == check([sys.argv[1]]), len(check([sys.argv[1]], jobs=2)))\n"
    )
    (project / ".run.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(project / ".run.py"), str(project)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")},
    )
    assert done.stdout.split() == ["True", "104"]


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ("select = ['GW203']", [("a.py", "GW203"), ("sub/b.py", "GW203")]),
        ("ignore = ['gw201']", [("a.py", "GW203"), ("sub/b.py", "GW203")]),
        ("exclude = ['sub']", [("a.py", "GW201"), ("a.py", "GW203")]),
        ("exclude = ['sub/*.py']", [("a.py", "GW201"), ("a.py", "GW203")]),
        ("per-file-ignores = {'sub/*' = ['GW20'], 'a.py' = ['GW203']}", [("a.py", "GW201")]),
    ],
)
def test_pyproject_says_what_to_show(project: Path, table: str, wanted: list[tuple[str, str]]) -> None:
    configure(project, f"[tool.graphweld]\n{table}\n")
    assert found(project) == wanted


def test_the_nearest_table_holds(project: Path) -> None:
    configure(project, "[tool.graphweld]\nignore = ['GW201']\n")
    (project / "sub" / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert find_settings(project / "sub").ignore == ("GW201",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.graphweld]\nselct = ['GW201']\n", "has no key 'selct'"),
        ("[tool.graphweld]\nselect = ['GX']\n", "there is no code 'GX'"),
        ("[tool.graphweld]\nselect = 'GW201'\n", "takes a list of codes"),
        ("[tool.graphweld]\nstrict = 1\n", "strict cannot be 1"),
        ("[tool.graphweld\n", "cannot be read"),
    ],
)
def test_wrong_settings_are_told(project: Path, text: str, words: str) -> None:
    configure(project, text)
    with pytest.raises(UsageError, match=words.replace("[", r"\[")):
        check([project])


def test_a_path_that_does_not_exist_is_told() -> None:
    with pytest.raises(UsageError, match="no such file or folder: nowhere"):
        check(["nowhere"])


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# gw: ignore", []),
        ("# gw: ignore[GW201]", []),
        ("# gw: ignore[gw203, GW201]", []),
        ("# gw: ignore[GW203]", ["GW201"]),
        ("# gw ignore", ["GW201"]),
    ],
)
def test_a_comment_ignores_what_it_names(comment: str, codes: list[str]) -> None:
    text = f"import torch\ndef f(x: torch.Tensor):\n    if x.sum() > 0:  {comment}\n        return x\n"
    assert [finding.code for finding in check_text(text)] == codes


def test_a_whole_file_is_ignored() -> None:
    assert check_text("# gw: ignore-file\n" + PROGRAM) == []


def test_a_baseline_hides_what_it_holds_and_nothing_new(project: Path) -> None:
    file = project / "base.json"
    baseline.write(check([project]), file)
    assert json.loads(file.read_text(encoding="utf-8"))["schema"] == "graphweld.baseline/1"
    settings = Settings(baseline=str(file))
    assert found(project, settings=settings) == []
    moved = PROGRAM.replace("\n\n\n", "\n\n\n\n# further down\n")
    (project / "a.py").write_text(
        moved + moved.replace("def f", "def g").removeprefix("import torch"), encoding="utf-8"
    )
    assert found(project, settings=settings) == [("a.py", "GW201"), ("a.py", "GW203")]


def test_the_same_line_twice_is_counted(project: Path) -> None:
    file = project / "base.json"
    baseline.write(check([project]), file)
    twice = PROGRAM.replace("    return int", "    if x.sum() > 0:\n        return -x\n    return int")
    (project / "a.py").write_text(twice, encoding="utf-8")
    assert found(project, settings=Settings(baseline=str(file))) == [("a.py", "GW201")]


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "other/1", "findings": []}'])
def test_what_is_no_baseline_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "base.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="is no baseline"):
        baseline.new([], file)


@pytest.mark.parametrize(
    "data",
    [
        b"import torch\n\x00",
        b"# coding: nonsense\nimport torch\n",
        b"import torch\n\xff\xfe",
        b"import torch\nprint 'python 2'\n",
        b"import torch\nx = " + b"-" * 20_000 + b"1\n",
        b"import torch\nx = " + b"(" * 5_000 + b")" * 5_000,
        b"import torch\nx = 1" + b" + 1" * 20_000,
    ],
    ids=["null", "codec", "undecodable", "python2", "deep", "brackets", "long"],
)
def test_what_cannot_be_read_has_no_findings(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.py").write_bytes(data)
    assert check([tmp_path]) == []


def test_columns_count_characters() -> None:
    text = 'import torch\ndef f(x: torch.Tensor):\n    return "äöü", (1 if x.sum() > 0 else 2)\n'
    (finding,) = check_text(text)
    assert finding.span is not None
    assert (finding.span.column, finding.span.end_column) == (20, 36)


def test_nothing_in_the_standard_library_makes_it_fall_over() -> None:
    """As if each file used torch, so that none is left out; a quarter of the files, to be quick."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::4]
    assert len(files) > 30
    for file in files:
        check_text("import torch\n" + file.read_text(encoding="utf-8"), str(file), Settings(strict=True))


@pytest.mark.slow
def test_nothing_that_is_installed_makes_it_fall_over() -> None:
    roots = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    files = sorted({file for root in roots for file in root.rglob("*.py")})
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        check_text("import torch\n" + text, str(file), Settings(strict=True))
