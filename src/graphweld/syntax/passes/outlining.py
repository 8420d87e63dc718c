"""Move the regions of a function into functions, innermost first. One file a statement tells what each becomes."""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.region_state import region_states
from graphweld.syntax.passes.for_loops import outline_for
from graphweld.syntax.passes.if_statements import outline_if
from graphweld.syntax.passes.while_loops import outline_while
from graphweld.syntax.unit import Block, Unit, rewrite_blocks


def outline_regions(unit: Unit) -> None:
    # All states first: the analysis wants the statements, not the calls.
    states = region_states(unit.body, unit.scope, unit.exit_flags, unit.is_region)

    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            state = states.get(node)
            match node:
                case ast.If() if state:
                    out.extend(outline_if(node, state, unit))
                case ast.While() if state:
                    out.extend(outline_while(node, state, unit))
                case ast.For() if state:
                    out.extend(outline_for(node, state, unit))
                case _:
                    out.append(node)
        return out

    unit.body = rewrite_blocks(unit.body, rewrite)
