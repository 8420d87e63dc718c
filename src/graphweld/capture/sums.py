"""Sums of numbers that the data decides, as additions: torch 2.13 adds several at once, and cannot write that.

sym_sum((1, n, m))    ->    add(add(1, n), m)
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
            node.replace_all_uses_with(total)
            module.graph.erase_node(node)
        module.recompile()


def _value(term: Any) -> Any:
    return term.meta["val"] if isinstance(term, Node) else term
