"""Regions inside of regions, kept where torch.export tidies up.

with torch.no_grad():
    if p:
        with torch.enable_grad(): y = a(x) if q else b(x)

Where a region switches the gradient mode, torch 2.13 takes its graph apart and puts it together again, then deletes
modules that no node calls. It looks for them at every depth, and for nodes in the outermost graph alone, so a branch
in a branch is lost ("Node target true_graph_0 not found"). Patched to leave alone what a region holds.
"""

from torch.fx import GraphModule


def hook_tidying() -> None:
    """Have a graph delete modules of its own only."""
    plain = GraphModule.delete_all_unused_submodules

    def delete(self: GraphModule) -> None:
        held = [(module, dict(module.named_children())) for module in self.modules() if module is not self]
        plain(self)
        for module, children in held:
            for name, child in children.items():
                module.add_module(name, child)

    GraphModule.delete_all_unused_submodules = delete  # type: ignore[method-assign]
