"""The inputs of the corpus take every branch both ways.

Each corpus file is run again with its tests (`if`, `while`, conditional expressions, operands of `and` and `or`,
guards, comprehension filters) wrapped in a recorder. A test whose value was a tensor must have been true and false.
"""

from __future__ import annotations

import ast
import types
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import tests.corpus.program as registry  # noqa: E402
from tests.corpus.program import programs  # noqa: E402

from . import harness  # noqa: E402

FOLDER = Path(registry.__file__).parent
FILES = sorted(
    str(p.relative_to(FOLDER).with_suffix("")) for p in FOLDER.rglob("*.py") if p.stem not in {"__init__", "program"}
)

# One way is the point of the program
ONE_WAY: set[tuple[str, str]] = {("iteration.list_made_longer_for_good", "x.sum() > 50")}  # the other has no end


class _Wrap(ast.NodeTransformer):
    def __init__(self) -> None:
        self.tests: list[tuple[int, str]] = []

    def seen(self, test: ast.expr) -> ast.expr:
        self.tests.append((test.lineno, ast.unparse(test)))
        number = ast.Constant(len(self.tests) - 1)
        call = ast.Call(ast.Name("__seen__", ast.Load()), [number, self.visit(test)], [])
        return ast.fix_missing_locations(ast.copy_location(call, test))

    def _test(self, node: Any) -> Any:
        for name, value in ast.iter_fields(node):
            if name == "test":
                continue
            if isinstance(value, list):
                setattr(node, name, [self.visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        node.test = self.seen(node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _test  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [self.seen(v) for v in node.values[:-1]] + [self.visit(node.values[-1])]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.iter = self.visit(node.iter)
        node.ifs = [self.seen(v) for v in node.ifs]
        return node

    def visit_match_case(self, node: ast.match_case) -> Any:
        if node.guard is not None:
            node.guard = self.seen(node.guard)
        node.body = [self.visit(v) for v in node.body]
        return node


@pytest.mark.parametrize("stem", FILES)
def test_both_ways(stem: str) -> None:
    programs()  # the real registry is full before it is set aside
    path = FOLDER / f"{stem}.py"
    tree, wrap = ast.parse(path.read_text()), _Wrap()
    tree = ast.fix_missing_locations(wrap.visit(tree))
    ways: dict[int, set[bool]] = {}
    of: dict[int, str] = {}
    current = ""

    def seen(number: int, value: Any) -> Any:
        if isinstance(value, (bool, torch.Tensor)) and (isinstance(value, bool) or value.numel() == 1):
            ways.setdefault(number, set()).add(bool(value))
        if isinstance(value, torch.Tensor):
            of[number] = current
        return value

    dotted = stem.replace("/", ".")
    module = types.ModuleType(f"tests.corpus.{dotted}")
    module.__package__ = module.__name__.rpartition(".")[0]
    module.__dict__["__seen__"] = seen
    saved, registry.REGISTRY[:] = list(registry.REGISTRY), []
    try:
        import sys

        before = sys.modules[module.__name__]
        sys.modules[module.__name__] = module  # dataclasses look their module up
        try:
            exec(compile(tree, str(path), "exec"), module.__dict__)
        finally:
            sys.modules[module.__name__] = before
        again = list(registry.REGISTRY)
    finally:
        registry.REGISTRY[:] = saved
    for p in again:
        current = p.name
        if p.name.startswith(dotted + "."):
            harness.run(p, "tensor", None)
    one_way = [
        f"{path.name}:{wrap.tests[k][0]}: `{wrap.tests[k][1]}` is always {w} in {of[k]}"
        for k, found in sorted(ways.items())
        for w in found
        if len(found) == 1 and k in of and (of[k], wrap.tests[k][1]) not in ONE_WAY
    ]
    assert not one_way, "\n".join(one_way)
