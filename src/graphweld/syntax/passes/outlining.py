"""Move the regions of a function into functions, innermost first. One file a statement tells what each becomes."""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.region_state import region_states
from graphweld.syntax.blocks import Block, rewrite_blocks, statements
from graphweld.syntax.passes.for_loops import outline_for
from graphweld.syntax.passes.if_statements import outline_if
from graphweld.syntax.passes.while_loops import outline_while
from graphweld.syntax.unit import Unit

_ROLES = {ast.If: ("then", "else"), ast.While: ("test", "body"), ast.For: ("body", "gw_item", "test")}


def outline_regions(unit: Unit) -> None:
    # All states first, as the analysis wants the statements and not the calls; all names first, for their order.
    states = region_states(unit.body, unit.scope, unit.exit_flags, unit.is_region)
    names = {node: unit.names.together(*_ROLES[type(node)]) for node in statements(unit.body) if unit.is_region(node)}

    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            match node:
                case ast.If() if node in states:
                    out.extend(outline_if(node, states[node], names[node], unit))
                case ast.While() if node in states:
                    out.extend(outline_while(node, states[node], names[node], unit))
                case ast.For() if node in states:
                    out.extend(outline_for(node, states[node], names[node], unit))
                case _:
                    out.append(node)
        return out

    unit.body = rewrite_blocks(unit.body, rewrite)
