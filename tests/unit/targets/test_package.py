"""`gw.package`: a file that AOTInductor compiled takes every path; from C++ too."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.capture.packages import load_package
from graphweld.cli.main import run
from tests.contract.tree import ROOT
from tests.unit.targets.programs import nested


@pytest.mark.slow
def test_a_package_takes_every_path(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    packed = load_package(str(gw.package(nested, (x, torch.tensor(2)), tmp_path / "nested.pt2")))
    for k in (1, -9, 40):
        for n in (0, 1, 4):
            args = (x * k, torch.tensor(n))
            torch.testing.assert_close(packed(*args), nested(*args))


def clamped_on_overflow(h: torch.Tensor) -> torch.Tensor:
    h = h * 2
    if not torch.isfinite(h).all():
        h = torch.clamp(h, min=-60000, max=60000)
    return h


@pytest.mark.slow
def test_a_package_notices_an_overflow_of_half_floats(tmp_path: Path) -> None:
    """Computed in 32 bits, `h * 2` would be finite where it is tested, and infinite as a result."""
    h = torch.tensor([60000.0, 1.0], dtype=torch.float16)
    packed = load_package(str(gw.package(clamped_on_overflow, (h,), tmp_path / "half.pt2")))
    for x in (h, h / 4):
        torch.testing.assert_close(packed(x), clamped_on_overflow(x))


SOLVER = ROOT / "docs" / "examples" / "solver.py"
TOLERANCES = (10.0, 0.5, 0.01)  # those of run_package.cpp: no trip, one, many


@pytest.mark.slow
def test_the_documented_package_runs_from_cpp(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ on this machine")
    package, program = tmp_path / "solver.pt2", tmp_path / "run_package"
    inputs = "torch.ones(2, 4), torch.tensor(0.1)"
    assert run([*"export --to package -o".split(), str(package), "-i", inputs, f"{SOLVER}:Solver"]) == 0
    told = capsys.readouterr().out
    assert f"solver.pt2: {package.stat().st_size:,} bytes" in told
    assert "1 while_loop" in told
    torch_folder = Path(torch.__file__).parent
    include, lib = torch_folder / "include", torch_folder / "lib"
    subprocess.run(
        [
            *(compiler, "-std=c++20", str(SOLVER.with_name("run_package.cpp")), "-o", str(program)),
            *(f"-I{include}", f"-I{include / 'torch' / 'csrc' / 'api' / 'include'}", f"-L{lib}"),
            *("-ltorch", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{lib}"),
        ],
        check=True,
    )
    done = subprocess.run([program, package], capture_output=True, text=True, check=True)
    solver = runpy.run_path(str(SOLVER))["Solver"]()
    for line, tolerance in zip(done.stdout.splitlines(), TOLERANCES, strict=True):
        x, steps = solver(torch.ones(2, 4), torch.tensor(tolerance))
        given, counted, total = line.split()
        assert (float(given), int(counted)) == (tolerance, int(steps))
        assert float(total) == pytest.approx(x.sum().item(), rel=1e-4)


def test_another_suffix_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(gw.GraphweldError, match=r"a package is a \.pt2 file"):
        gw.package(nested, (torch.ones(3), torch.tensor(1)), tmp_path / "nested.so")
