"""The table of torch's private interfaces is what `capture` uses, and the installed torch has all of it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

import pytest

from graphweld.capture import private
from graphweld.capture.private import INDUCTOR, PATCHED, TABLE, Private, probe
from tests.contract.test_fence import PRIVATE
from tests.contract.tree import Module, modules

CAPTURE = [m for m in modules() if m.layer == "capture" and m.name != private.__name__]
PATHS = {row.path for row in TABLE}
KNOWN_NAMES = {name for path in PATHS for name in path.split(".")}
OWN_METHODS = {node.name for m in CAPTURE for node in ast.walk(ast.parse(m.text)) if isinstance(node, ast.FunctionDef)}

# What the names of Dynamo's objects stand for in the source of `capture`; longest first where one begins another.
OBJECTS = {
    "tx.output.current_tracer": "torch._dynamo.output_graph.SubgraphTracer",
    "tx.output.side_effects": "torch._dynamo.side_effects.SideEffects",
    "tx.output": "torch._dynamo.output_graph.OutputGraph",
    "tx": "torch._dynamo.symbolic_convert.InstructionTranslatorBase",
    "tracer": "torch._dynamo.output_graph.SubgraphTracer",
    "side_effects": "torch._dynamo.side_effects.SideEffects",
    "shapes": "torch.fx.experimental.symbolic_shapes.ShapeEnv",
    "codegen": "torch._dynamo.codegen.PyCodegen",
}
IN_OBJECT = re.compile(rf"(?:^|\.)({'|'.join(map(re.escape, OBJECTS))})\.(\w+)")


def chains(module: Module) -> Iterator[tuple[str, bool]]:
    """Each dotted expression of a module, its first name replaced by what was imported as that; whether it is set."""
    tree = ast.parse(module.text)
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            imported |= {a.asname or a.name: a.name for a in node.names if a.asname or "." not in a.name}
            for dotted in (a.name for a in node.names if "." in a.name and not a.asname):
                imported[dotted.partition(".")[0]] = dotted.partition(".")[0]
                yield dotted, False
    for path in imported.values():
        yield path, False
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, *rest = ast.unparse(node).split(".")
            yield ".".join([imported.get(first, first), *rest]), isinstance(node.ctx, ast.Store)


def is_private(path: str) -> bool:
    return PRIVATE.match(path) is not None and not path.endswith(("_dynamo", "_C")) and "__" not in path


def is_covered(path: str) -> bool:
    """In the table, or a module that the table goes into, or a public attribute of what is in the table."""
    return (
        path in PATHS
        or any(known.startswith(f"{path}.") for known in PATHS)
        or any(path.startswith(f"{known}.") for known in PATHS)
    )


@pytest.mark.parametrize("module", CAPTURE, ids=lambda m: m.name)
def test_every_private_import_is_in_the_table(module: Module) -> None:
    used = {path for path, _ in chains(module) if re.fullmatch(r"[\w.]+", path) and is_private(path)}
    assert sorted(path for path in used if not is_covered(path)) == []


@pytest.mark.parametrize("module", CAPTURE, ids=lambda m: m.name)
def test_every_patched_attribute_is_in_the_table(module: Module) -> None:
    patched = {path for path, is_set in chains(module) if is_set and path.startswith("torch.")}
    assert sorted(patched - {row.path for row in (*PATCHED, *INDUCTOR)}) == []


def test_every_patched_attribute_of_the_table_is_patched() -> None:
    patched = {path for module in CAPTURE for path, is_set in chains(module) if is_set}
    assert sorted(row.path for row in (*PATCHED, *INDUCTOR) if row.path not in patched) == []


@pytest.mark.parametrize("module", CAPTURE, ids=lambda m: m.name)
def test_every_part_of_the_tracer_is_in_the_table(module: Module) -> None:
    """`tx.output.subtracer` is OutputGraph's; names that begin with `gw_` are graphweld's own."""
    used = {
        f"{OBJECTS[found[1]]}.{found[2]}"
        for path, _ in chains(module)
        if not path.startswith("torch.") and (found := IN_OBJECT.search(path)) and not found[2].startswith("gw_")
    }
    assert sorted(path for path in used if path not in PATHS) == []


@pytest.mark.parametrize("module", CAPTURE, ids=lambda m: m.name)
def test_every_underscored_attribute_of_another_is_in_the_table(module: Module) -> None:
    attributes = {
        node.attr
        for node in ast.walk(ast.parse(module.text))
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr)
    }
    assert sorted(attributes - KNOWN_NAMES - OWN_METHODS) == []


def test_nothing_in_the_table_is_unused() -> None:
    text = "\n".join(module.text for module in CAPTURE)
    names = {path: path.rpartition(".")[2] for path in PATHS}
    assert sorted(path for path, name in names.items() if not re.search(rf"\b{name}\b", text)) == []


def test_every_method_that_may_change_a_container_is_in_the_table() -> None:
    from graphweld.capture.effects import CHANGING

    hooked = {f"{cls.__module__}.{cls.__name__}.{name}" for cls, names in CHANGING.items() for name in names}
    assert sorted(row.path for row in private.REMEMBERING) == sorted(hooked)


def test_the_table_has_each_part_once() -> None:
    assert len(PATHS) == len(TABLE)


def test_the_installed_torch_has_all_of_it() -> None:
    assert [f"{result.name}: {result.note}" for result in probe() if not result.ok or result.note] == []


def test_probing_is_the_same_once_the_hooks_are_in_place() -> None:
    from graphweld.capture.dynamo import install

    install()
    assert [result for result in probe(PATCHED) if not result.ok] == []


@pytest.mark.parametrize(
    ("path", "parameters", "note"),
    [
        ("torch._no_such_module.X", None, "not there"),
        ("torch._dynamo.exc.NoSuchException", None, "not there"),
        ("torch._dynamo.output_graph.OutputGraph.no_such_attribute", None, "not there"),
        (
            "torch._dynamo.side_effects.SideEffects.mutation",
            ("self", "variable"),
            "takes (self, var), not (self, variable)",
        ),
        ("no_such_package.X", None, "not there"),
    ],
)
def test_what_is_gone_or_changed_is_said(path: str, parameters: tuple[str, ...] | None, note: str) -> None:
    (result,) = probe((Private(path, "a test", parameters),))
    assert (result.ok, result.note) == (False, note)


def test_the_table_can_be_read_without_torch() -> None:
    assert not [node for node in ast.walk(ast.parse(inspect.getsource(private))) if "torch" in _imports(node)]


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [str(node.module).partition(".")[0]] if isinstance(node, ast.ImportFrom) else []
