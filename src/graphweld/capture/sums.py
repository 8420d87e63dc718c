"""Sums and sizes of numbers that the data decides: torch 2.13 cannot write them to a file as it traces them.

sym_sum((1, n, m))    ->    add(add(1, n), m)
abs(n)                ->    0 + sym_max(-n, n)
"""

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node


def make_additions(program: torch.export.ExportedProgram) -> None:
    """Replace the sums in every graph, in place."""
    for module in program.graph_module.modules():
        if not isinstance(module, GraphModule):
            continue
        for node in module.graph.find_nodes(op="call_function", target=torch.sym_sum):
            terms: Any = node.args[0]
            total = terms[0]
            with module.graph.inserting_before(node):
                for term in terms[1:]:
                    made = module.graph.call_function(operator.add, (total, term))
                    made.meta = {**node.meta, "val": _value(total) + _value(term)}
                    total = made
            _put(program, total, node)
        module.recompile()


def make_maxima(program: torch.export.ExportedProgram) -> None:
    """Replace what numbers are without their signs, in place. What is added makes -0.0 a zero without one."""
    for module in program.graph_module.modules():
        for node in list(module.graph.nodes) if isinstance(module, GraphModule) else ():
            if node.target not in (operator.abs, abs):
                continue
            (number,) = node.args
            zero = 0.0 if isinstance(_value(number), torch.SymFloat) else 0
            with module.graph.inserting_before(node):
                less = module.graph.call_function(operator.neg, (number,))
                most = module.graph.call_function(torch.sym_max, (less, number))
                made = module.graph.call_function(operator.add, (zero, most))
            value = _value(number)
            for new, found in (less, -value), (most, torch.sym_max(-value, value)), (made, node.meta["val"]):
                new.meta = {**node.meta, "val": found}
            _put(program, made, node)


def _put(program: torch.export.ExportedProgram, made: Node, node: Node) -> None:
    """Have `made` in a node's place, as a result of the program too."""
    if node.graph is program.graph:
        program.graph_signature.replace_all_uses(node.name, made.name)
    node.replace_all_uses_with(made)
    node.graph.erase_node(node)


def _value(term: Any) -> Any:
    return term.meta["val"] if isinstance(term, Node) else term
