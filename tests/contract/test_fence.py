"""torch's private interfaces are touched in `capture/` only, so that one folder tells what a new torch may break."""

from __future__ import annotations

import re

import pytest

from tests.contract.tree import Module, modules

# Any underscored part after `torch`, and public-looking packages that torch does not promise to keep.
PRIVATE = re.compile(
    r"\btorch(?:\.\w+)*\.(?:_[a-z]\w*|fx\.experimental)|['\"]_(?:dynamo|inductor|higher_order_ops|functorch|guards|ops)\b"
)

TABLES = {"graphweld.lint.flow.torch_names"}  # names that users write, as text: nothing is imported by them
outside = [module for module in modules() if module.layer != "capture" and module.name not in TABLES]


@pytest.mark.parametrize("module", outside, ids=lambda m: m.name)
def test_no_private_interface_outside_capture(module: Module) -> None:
    assert sorted(set(PRIVATE.findall(module.text)) | _imported(module)) == []


@pytest.mark.parametrize(
    "text",
    [
        "from torch._dynamo import exc",
        "torch._dynamo.config",
        "getattr(torch, '_dynamo')",
        "torch.fx.experimental.symbolic_shapes",
        "torch.utils._pytree",
        "torch._assert_async(x)",
    ],
)
def test_the_fence_sees_each_form(text: str) -> None:
    assert PRIVATE.search(text)


@pytest.mark.parametrize("text", ["torch.cond(p, f, g)", "torch.compile", "torch.fx.GraphModule", "import torch"])
def test_the_fence_lets_public_names_pass(text: str) -> None:
    assert not PRIVATE.search(text)


def _imported(module: Module) -> set[str]:
    """`from torch import _dynamo`, which the pattern does not see."""
    return {name for name in module.imports() if PRIVATE.match(name)}
