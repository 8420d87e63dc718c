"""The only list of exceptions of the conformance tests. Strict both ways: what is listed must fail in just that way.

A row names a program (or a pattern of names), a target and a variant ("tensor", "python", "sizes", "grad"; "*" is any),
and what is expected:

- `refused`: the code of the refusal;
- `gap`: why it does not work yet, with words of the error, or with the aspects `without` which it is as eager:
  everything else is still compared.

Values and gradients that differ are faults, and never stand here.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Any

# Kinds of programs that are not delivered yet. They still run: each is right or refused with a code, never wrong.
UNDELIVERED = {
    "loop": "loops whose length the data decides: issue 3",
    "state": "state and side effects in regions: issue 4",
}


@dataclass(frozen=True)
class Expect:
    program: str
    refused: str = ""  # the code of the refusal
    gap: str = ""  # or why it does not work yet
    error: str = ""  # a part of the error's text
    without: tuple[str, ...] = ()  # or what has to be left out of the comparison: "aliases", "strides", "requires_grad"
    target: str = "*"
    variant: str = "*"

    def __post_init__(self) -> None:
        assert bool(self.refused) != bool(self.gap), f"{self.program}: either a code or a gap"
        assert bool(self.gap) == bool(self.error or self.without), f"{self.program}: how does the gap show?"

    def covers(self, program: str, target: str, variant: str) -> bool:
        return (
            fnmatch.fnmatchcase(program, self.program)
            and self.target in ("*", target)
            and self.variant in ("*", variant)
        )


def _each(programs: str, **row: Any) -> list[Expect]:
    return [Expect(program, **row) for program in programs.split()]


_ALIASES: dict[str, Any] = {"without": ("aliases",)}
_TENSOR: dict[str, Any] = {"target": "eager", "variant": "tensor"}
_GRAD: dict[str, Any] = {"target": "aot_eager", "variant": "grad"}

EXPECTED: tuple[Expect, ...] = (
    # ------------------------------------------------------------------------------------------------ refused
    *_each("functions.without_source functions.helper_without_source", refused="GW001"),
    *_each("functions.helper_without_source_nor_site", refused="GW002"),
    *_each(  # lists and cells changed in a region: issue 4
        "append.comprehension_with_tensor_if boolean_operators.lazy_call_counts scoping.unbound_in_nested_function",
        refused="GW104",
    ),
    *_each("closures.cell_written_after_def", refused="GW106"),  # torch reads no cell before it is written
    *_each("nested.tail_recursion nested.linear_recursion", refused="GW106"),  # a depth that the data decides
    # A generator that yields under a condition; a class statement with a body of its own.
    *_each("closures.generator_function functions.constructor_with_branch", refused="GW120"),
    # A result that depends on what `requires_grad_()` was called on; the derivative of a product of unknown length.
    *_each("gradients.autograd_grad_inside", refused="GW120", **_GRAD),
    *_each("calls.nonzero_inside_branch", refused="GW121", **_GRAD),
    # ------------------------------------------------------------------------------------------------ aliases
    *_each(
        "joins.same_tensor_twice joins.same_tensor_twice_one_side joins.two_views_inside"
        " joins.intermediate_passes_through scoping.exec_order_of_names",
        gap="two outputs of one node share no memory: what eager returns twice, comes back as a tensor and a copy",
        **_ALIASES,
        **_TENSOR,
    ),
    *_each(
        "calls.index_by_tensor_in_branch conditional_expressions.lazy_sides"
        " joins.index_only_where_in_range",
        gap="a view whose place the data decides comes back as a copy",
        **_ALIASES,
        **_TENSOR,
    ),
    *_each(
        "calls.index_by_tensor_in_branch",
        gap="a view whose place the data decides comes back as a copy",
        **_ALIASES,
        **_GRAD,
    ),
    *_each(
        "early_return.return_in_static_loop_positions loop_exits.return_inside_with_in_loop"
        " loop_exits.return_in_dynamic_range while_loops.while_true_return",
        gap="an argument that only some paths return comes back as a copy",
        **_ALIASES,
        **_TENSOR,
    ),
    *_each(
        "carries.swap carries.rotate_three carries.fibonacci carries.two_names_of_one_tensor carries.tuple_carried"
        " carries.list_carried carries.dict_carried carries.view_carry",
        gap="which argument a loop hands back, the data decides: it is a copy",
        **_ALIASES,
        **_TENSOR,
    ),
    *_each(
        "carries.swap carries.dict_carried",
        gap="which argument a loop hands back, the data decides: it is a copy",
        **_ALIASES,
        **_GRAD,
    ),
    # ------------------------------------------------------------------------------------------------ strides
    *_each(
        "carries.transposed_carry carries.expanded_start conditionals.matrix_branch",
        gap="strides that are not dense, or that each path has of its own, come back as those of one path",
        without=("strides",),
        **_TENSOR,
    ),
    # ------------------------------------------------------------------------------------------------ gradients
    *_each(
        "append.preallocated_buffer carries.accumulator_without_grad carries.parameters_in_body data_sizes.mask_in_loop"
        " for_loops.range_len for_loops.rows_until_negative for_loops.slice_by_counter nested.matrix_walk",
        gap="what a loop of no trips returns needs a gradient, as after any other number of trips; it is zero",
        without=("requires_grad",),
        **_GRAD,
    ),
    *_each(
        "carries.parameters_in_body",
        gap="what a loop of no trips returns needs a gradient, as after any other number of trips; it is zero",
        without=("requires_grad",),
        target="inductor",
    ),
    *_each(
        "carries.fibonacci",
        gap="what a loop of no trips returns needs a gradient, as after any other number of trips; it is zero",
        without=("aliases", "requires_grad"),
        **_GRAD,
    ),
    *_each(
        "loop_else.else_after_continue loop_exits.exit_nested_in_branches loop_exits.no_index_past_exit",
        gap="the backward of a branch in a loop gives an operand back, which torch's cond forbids",
        error="might be aliasing the input or the output",
        **_GRAD,
    ),
    # ------------------------------------------------------------------------------------------------ others
    *_each(
        "for_loops.rows_of_dynamic_size",
        gap="a loop over the rows of a tensor is unrolled, and so compiled anew for each number of them",
        error="graphs for 1 input signatures",
        target="dynamic",
    ),
)

# Programs on which the trace does not end. They are not run: each would take the whole limit of time.
ENDLESS: dict[str, str] = {}


def expected(program: str, target: str, variant: str) -> Expect | None:
    return next((e for e in EXPECTED if e.covers(program, target, variant)), None)
