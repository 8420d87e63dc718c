"""`gw.package`: a file that AOTInductor compiled takes every path; from C++ too."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.capture.packages import load_package
from tests.unit.targets.programs import nested


@pytest.mark.slow
def test_a_package_takes_every_path(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    run = load_package(str(gw.package(nested, (x, torch.tensor(2)), tmp_path / "nested.pt2")))
    for k in (1, -9, 40):
        for n in (0, 1, 4):
            args = (x * k, torch.tensor(n))
            torch.testing.assert_close(run(*args), nested(*args))


def test_another_suffix_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(gw.GraphweldError, match=r"a package is a \.pt2 file"):
        gw.package(nested, (torch.ones(3), torch.tensor(1)), tmp_path / "nested.so")
