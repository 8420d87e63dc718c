"""Branches and loops under autocast, in an exported program.

with torch.autocast("cpu"):
    y = a @ b if p else b @ a        bfloat16
y.float()        ->        _assert_tensor_metadata(y, dtype=float32); to(y, float32)

torch.export (2.13) traces a region without the autocast around it, and takes its results for what they are without.
The program runs them with it, so what it then asserts of types does not hold.
"""

import torch
from torch.fx import GraphModule

REGIONS = {
    torch.ops.higher_order.cond,
    torch.ops.higher_order.while_loop,
    torch.ops.higher_order.while_loop_stack_output,
}


def drop_assertions(program: torch.export.ExportedProgram) -> None:
    """Take out what torch asserts of the types of tensors, in place, where there is a region under autocast."""
    graph = program.graph_module.graph
    casts = graph.find_nodes(op="call_function", target=torch.amp.autocast_mode._enter_autocast)
    if not casts or not any(node.target in REGIONS for node in graph.nodes):
        return
    for module in program.graph_module.modules():
        if isinstance(module, GraphModule):
            for node in module.graph.find_nodes(
                op="call_function", target=torch.ops.aten._assert_tensor_metadata.default
            ):
                module.graph.erase_node(node)
            module.recompile()
