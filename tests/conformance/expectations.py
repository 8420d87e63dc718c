"""The only list of exceptions of the conformance tests. Strict both ways: what is listed must fail in just that way.

A row names a program, a target and a variant ("tensor", "python", "sizes", "grad"), each by a pattern, and what is
expected:

- `refused`: the code of the refusal;
- `gap`: why it does not work yet, with words of the error, or with the aspects `without` which it is as eager:
  everything else is still compared.

Values and gradients that differ are faults, and never stand here, but where torch's own compiled code gives the same.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Any


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
            and fnmatch.fnmatchcase(target, self.target)
            and fnmatch.fnmatchcase(variant, self.variant)
        )


def _each(programs: str, **row: Any) -> list[Expect]:
    return [Expect(program, **row) for program in programs.split()]


_ALIASES: dict[str, Any] = {"without": ("aliases",), "target": "[aei]*", "variant": "[tg]*"}
_GRAD: dict[str, Any] = {"target": "[ai]*", "variant": "grad"}
_ASKED = (
    "asked_sizes.normalized_part asked_sizes.distances_of_what_is_kept asked_sizes.unfolded_part"
    " data_sizes.operator_that_asks_for_rows"
)

EXPECTED: tuple[Expect, ...] = (
    # ------------------------------------------------------------------------------------------------ refused
    *_each("functions.without_source functions.helper_without_source", refused="GW001"),
    *_each("functions.helper_without_source_nor_site", refused="GW002"),
    *_each("scoping.unbound_in_nested_function attributes.inherited_class_attribute_on_one_side", refused="GW104"),
    *_each("foreign.array_carried", refused="GW111"),
    *_each("foreign.numpy_seeded", refused="GW106"),
    *_each("exceptions.type_error_of_torchs", refused="GW120"),
    # What a loop goes through changes in a way that depends on the data.
    *_each(
        "iteration.key_exchanged iteration.dict_of_some_entries_made_longer iteration.iterator_used_behind_the_loop",
        refused="GW104",
    ),
    *_each(
        "iteration.list_made_longer_for_good iteration.list_made_longer_by_the_data"
        " iteration.items_made_with_an_effect iteration.iterator_of_a_class",
        refused="GW110",
    ),
    # Gradients that a program asks for, of which the data decide whether there are any; ways out of a region.
    *_each("asked_gradients.none_without_a_trip asked_gradients.none_on_one_side", refused="GW120"),
    *_each("asked_gradients.through_what_was_made_outside asked_gradients.through_earlier_trips", refused="GW106"),
    # A tensor that has two names in Python and is two in the graph, changed in place under one of them; a deque whose
    # length the data decides.
    *_each(
        "mutation.deque_longer_on_one_side mutation.deque_shorter_on_one_side"
        " mutation.changed_and_kept_under_a_key mutation.changed_and_kept_on_the_first_trip"
        " mutation.changed_while_kept_elsewhere mutation.changed_and_kept_in_a_branch"
        " mutation.two_carries_of_one_tensor mutation.alias_made_in_loop mutation.carry_becomes_an_argument"
        " mutation.appended_then_changed mutation.view_at_a_position_then_base_changed"
        " mutation.two_names_made_in_branch mutation.base_and_view_made_in_branch"
        " mutation.other_name_from_loop_in_branch mutation.changed_and_swapped"
        " shared_in_loops.appended_then_changed shared_in_loops.appended_buffer"
        " shared_in_loops.changed_behind_the_loop shared_in_loops.item_changed_behind_the_loop"
        " shared_in_loops.carry_takes_an_input shared_in_loops.list_before_and_behind"
        " shared_in_loops.exchanged_and_kept shared_in_loops.two_carries_of_one_tensor"
        " shared_in_loops.swapped_then_changed shared_in_loops.first_bound_in_the_loop_then_changed"
        " shared_in_loops.pair_of_the_loop_then_changed shared_in_loops.longer_list_then_changed"
        " shared_in_loops.one_of_two_tensors_changed_under_another_name"
        " shared_in_loops.either_of_two_changed_and_carried",
        refused="GW104",
    ),
    # Of what a list of unknown length holds, and of the list that a loop replaces, the graph has copies.
    *_each(
        "replaced_lists.item_changed_in_place replaced_lists.list_changed_behind_its_append"
        " replaced_lists.start_changed_behind append.changed_and_inserted append.inserted_and_changed"
        " replaced_lists.start_of_a_carry_put_into_rows_then_changed",
        refused="GW104",
    ),
    *_each("mutation.two_names_of_one_from_a_branch_in_a_branch", refused="GW104"),
    Expect("data_keys.keys_seen_before_another_is_added", refused="GW104"),
    *_each("mutation.needed_value_overwritten", refused="GW120"),
    *_each("shared_in_loops.two_names_of_a_replaced_list", refused="GW110"),
    *_each(
        "attributes.own_object_gains_an_attribute data_keys.set_handed_out mutation.identity_of_carries "
        "mutation.identity_with_what_was_before shared_in_loops.one_of_two_carries_behind_the_loop",
        refused="GW103",
    ),
    # A class statement inside of the function.
    *_each(
        "attributes.object_created_in_branch attributes.object_changed_in_branch attributes.counter_attribute_in_loop"
        " attributes.setattr_and_delattr idioms.module_with_properties",
        refused="GW120",
    ),
    # Random numbers of Python's and the clock; draws of a region in a region that gradients flow through.
    *_each(
        "foreign.python_random_in_branch foreign.python_randint_in_branch foreign.generator_of_an_object"
        " foreign.clock_in_loop",
        refused="GW106",
    ),
    *_each("random_ops.nested_draws", refused="GW106", variant="grad"),
    *_each(
        "exceptions.inference_mode_inside",
        gap="AOTAutograd gives no inference tensors",
        error="is_inference True in eager",
        target="[ai]*",
    ),
    *_each("nested.linear_recursion", refused="GW110"),  # a depth that the data decides
    *_each("for_loops.groupby_of_values", refused="GW110"),
    *_each("append.dict_comprehension", refused="GW103"),  # as many keys as the data says
    *_each(  # rows of the slice are copies of the list's items
        "append.slice_and_change append.grown_by_cat_and_changed carries.list_replaced_and_kept"
        " list_reads.item_changed_in_place",
        refused="GW104",
    ),
    *_each(  # as many sizes as the data says, of a tensor that the loop reads
        "carries.doubles append.grown_by_cat_under_two_names",
        refused="GW111",
    ),
    *_each("organized.type_and_isinstance", refused="GW103"),  # which side it is, asked with isinstance
    # A generator that yields under a condition; a class statement with a body of its own.
    *_each("closures.generator_function functions.constructor_with_branch", refused="GW120"),
    # A result that depends on what `requires_grad_()` was called on; the derivative of a product of unknown length.
    *_each("gradients.autograd_grad_inside", refused="GW120", target="*eager", variant="grad"),
    *_each("calls.nonzero_inside_branch data_sizes.parts_of_columns", refused="GW121", **_GRAD),
    # What a derivative needs is changed on one side: AOTAutograd knows one order of things, whichever side runs.
    *_each(
        "unused_values.changed_since_but_not_used unused_values.changed_since_behind_a_handler",
        refused="GW121",
        **_GRAD,
    ),
    # A backend that takes operators apart asks of sizes again what the tracer asked, and needs one answer.
    *_each(_ASKED, refused="GW121", target="[ai]*"),
    Expect(
        "mutation.view_by_number_and_base",
        gap="Inductor's code for a row at a number of the data that is written to does not name the number",
        error="name 'u0' is not defined",
        target="inductor",
    ),
    Expect(
        "mutation.table_read_where_written",
        gap="Inductor has no code for the backward of a write to a view of a loop's",
        error="View target: aten.select.int",
        target="inductor",
    ),
    Expect(
        "mutation.parameter_stepped_under_no_grad",
        gap="Inductor's code for a parameter that a branch changes under no_grad counts as a change behind it",
        error="modified by an inplace operation",
        target="inductor",
    ),
    Expect(
        "divisions.half_floats",
        gap="Inductor rounds a quotient before it rounds it down, in torch's own compiled code as well (limits.md)",
        error="not close",
        target="inductor",
    ),
    Expect(
        "divisions.whole_numbers",
        gap="Inductor's backward does not name a rounded number that it multiplies by, nor does torch's alone",
        error="is not defined",
        target="inductor",
    ),
    *_each(
        "foreign.numpy_scalar output.say_in_nested_loops divisions.bits_of_numbers",
        refused="GW121",
        target="inductor",
    ),
    # ------------------------------------------------------------------------------------------------ aliases
    *_each(
        "joins.same_tensor_twice_one_side joins.two_views_inside"
        " joins.intermediate_passes_through scoping.exec_order_of_names",
        gap="two outputs of one node share no memory: what eager returns twice, comes back as a tensor and a copy",
        **_ALIASES,
    ),
    *_each(
        "data_sizes.mask_returned_only_on_one_side"
        " calls.index_by_tensor_in_branch conditional_expressions.lazy_sides joins.index_only_where_in_range",
        gap="a view whose place the data decides comes back as a copy",
        **_ALIASES,
    ),
    Expect(
        "joins.boolean_mask_or_all",
        gap="a view whose place the data decides comes back as a copy",
        without=("aliases",),
        target="*eager",
        variant="[tg]*",
    ),
    *_each("loop_exits.return_inside_with_in_loop", refused="GW103", variant="grad"),  # which one needs a gradient
    *_each(
        "early_return.return_in_static_loop_positions loop_exits.return_inside_with_in_loop"
        " loop_exits.return_in_dynamic_range nested.tail_recursion while_loops.while_true_return",
        gap="an argument that only some paths return comes back as a copy",
        **_ALIASES,
    ),
    *_each(
        "carries.swap carries.rotate_three carries.two_names_of_one_tensor carries.view_carry carries.grows_by_cat",
        gap="which argument a loop hands back, the data decides: it is a copy",
        **_ALIASES,
    ),
    *_each(
        "carries.fibonacci",
        gap="a loop hands back a copy of an argument; of no trips, it needs a gradient, which is zero",
        without=("aliases", "requires_grad"),
        **_GRAD,
    ),
    *_each(
        "carries.fibonacci",
        gap="which argument a loop hands back, the data decides: it is a copy",
        **_ALIASES,
    ),
    # ------------------------------------------------------------------------------------------------ strides
    *_each(
        "carries.expanded_start conditionals.matrix_branch",
        gap="strides that are not dense, or that each path has of its own, come back as those of one path",
        without=("strides",),
        target="eager",
        variant="[tg]*",
    ),
    Expect(
        "carries.transposed_carry",
        gap="strides that each path has of its own come back as those of one path",
        without=("strides",),
        target="eager",
        variant="tensor",
    ),
    # ------------------------------------------------------------------------------------------------ gradients
    *_each(
        "organized.requires_grad_one_side",
        gap="what is computed from a value that needs a gradient on one side only, needs one",
        without=("requires_grad",),
        **_GRAD,
    ),
    *_each(
        "append.preallocated_buffer",
        gap="what a loop of no trips returns needs a gradient, as after any other number of trips; it is zero",
        without=("requires_grad",),
        **_GRAD,
    ),
)

# The same for exported programs; targets are "export" (as it comes), "saved" (decomposed, written and read
# back), "onnx" (in ONNX Runtime).
EXPORTED: tuple[Expect, ...] = (
    # A graph gives one kind of value: not None here and a tensor there, not one string or another, not a class of the
    # program's own. And it changes no Python object, and says nothing.
    *_each(
        "absence.callers_dict_cleared absence.entry_added_and_read absence.entry_first_bound_in_loop "
        "absence.entry_popped absence.module_cache absence.what_never_was attributes.append_to_argument "
        "attributes.attribute_of_one_side attributes.counters_in_many_places attributes.global_dict "
        "attributes.list_item_and_slice_assignment attributes.module_state_in_loop attributes.nested_fields "
        "attributes.none_attribute_filled attributes.plain_object attributes.python_counter "
        "attributes.step_and_scale_steer attributes.string_and_float_attributes attributes.tensor_attribute "
        "carries.adaptive_steps carries.int_tensor_then_float_tensor carries.python_zero_returned "
        "closures.counting_closure closures.counting_closure_in_branch closures.running_maximum_closure "
        "data_keys.key_that_may_be_missing data_keys.set_handed_out "
        "constants.number_only constants.with_number data_keys.dict_of_chosen exceptions.module_that_checks "
        "idioms.namedtuple_typing joins.bool_against_int_returned joins.dataclass_returned "
        "joins.dict_key_order_differs joins.dict_keys_differ joins.dtype_differs "
        "joins.dtype_object_from_branch joins.enum_from_branch joins.half_on_one_side "
        "joins.int_against_float_returned joins.list_against_tuple joins.tensor_against_tuple "
        "joins.torch_size_from_branch joins.tuple_length_differs list_reads.least_by_a_key "
        "list_reads.longest_segment models.decoding.output_dataclass organized.and_or_values "
        "organized.bool_int_float organized.different_keys organized.different_lengths "
        "organized.dtype_differs organized.enums_dtypes_devices organized.none_tensor_number "
        "output.f_string_of_the_moment output.log_in_branch_in_loop output.logging_levels "
        "output.logging_warning output.many_prints_in_loop output.percent_formats output.print_chosen_value "
        "output.print_constant_in_loop output.print_containers output.print_f_string output.print_in_branch "
        "output.print_in_loop output.print_in_loop_in_branch output.print_in_loop_then_raise "
        "output.print_in_while output.print_item output.print_nested output.print_on_both_sides "
        "output.print_tensor output.print_tensor_in_loop output.print_value_of_the_moment "
        "output.print_with_gradient output.warnings_category output.warnings_warn",
        refused="GW140",
    ),
    # What a program keeps in a module of its own.
    *_each(
        "kept_state.running_mean kept_state.ring_of_rows kept_state.stopped_after_two_without_a_better_one "
        "kept_state.put_back_to_none kept_state.two_that_are_filled_apart "
        "kept_state.buffer_made_by_the_first_call kept_state.cache_changed_in_place "
        "kept_state.least_from_infinity kept_state.least_from_none kept_state.one_tensor_in_two_places "
        "kept_state.known_again kept_state.no_other_test_of_tensors kept_state.of_another_size_later "
        "kept_state.argument_that_is_kept_and_changed kept_state.argument_that_is_kept_and_asked_for "
        "kept_state.with_a_gradient_for_the_argument kept_state.drift_since_the_last_whole_step "
        "kept_state.zero_and_then_a_tensor kept_state.false_and_then_a_count kept_state.best_in_several_kinds "
        "kept_state.sum_begun_again",
        refused="GW140",
    ),
    *_each(
        "exceptions.inference_mode_inside functions.inference_mode_entry",
        gap="tensors out of an exported program are no inference tensors",
        error="is_inference True in eager",
    ),
    *_each(
        "mutation.one_tensor_given_twice",
        gap="an exported program takes its inputs for different tensors",
        error="not close",
        target="onnx",
    ),
    *_each(
        "attributes.counter_in_closure attributes.global_counter constants.none_or "
        "joins.int_against_tensor_returned output.warn_and_repair mutation.parameter_stepped_under_no_grad",
        refused="GW140",
    ),
    *_each(
        "absence.entries_of_nested_branches absence.set_in_loop attributes.attribute_of_module_on_one_side",
        refused="GW140",
    ),
    *_each("absence.members_come_and_go", refused="GW141"),  # a set
    # In an export torch asks whether there is any input to a loss, of what a branch takes out.
    *_each("data_sizes.loss_of_the_labelled", refused="GW141"),
    *_each(_ASKED, refused="GW141"),
    *_each("joins.one_alternative_for_each_kind merged_lists.sorted_into_groups", refused="GW140"),
    # As many results as the data says: sequences, in ONNX.
    *_each(
        "append.slice_of_grown_list_returned append.slices_by_numbers list_reads.inserted_and_taken_in_the_middle"
        " list_reads.set_behind_the_loop list_reads.sorted_behind_the_loop "
        "append.list_of_numbers list_reads.numbers_of_a_recurrence list_reads.queue_of_numbers "
        "append.list_of_tensors_returned append.inserted_in_front append.lists_of_lengths_and_sizes_returned "
        "append.appended_in_branch_and_returned list_reads.read_in_the_inner_loop list_reads.breadth_first "
        "",
        refused="GW112",
        target="[!o]*",
    ),
    *_each(
        "for_loops.over_one_tuple_or_another predicates.tested_and_then_changed absence.entries_gone_through",
        refused="GW112",
        target="[!o]*",
    ),
    *_each(
        "for_loops.over_one_tuple_or_another predicates.tested_and_then_changed absence.entries_gone_through",
        refused="GW140",
        target="onnx",
    ),
    *_each(  # stacked rows, of which AOTInductor has no code; `^` of two tests of numbers
        "linear_algebra.solve append.append_in_loop_in_branch replaced_lists.all_of_another_list"
        " asked_gradients.through_a_loop asked_gradients.backward_through_a_loop divisions.bits_of_numbers",
        refused="GW141",
        target="package",
    ),
    # None here and a tensor there, text, tensors of several ranks: optional values and text, in ONNX.
    *_each(
        "append.return_inside_or_behind append.return_inside_two_loops attributes.own_object_made_in_branch "
        "carries.none_then_tensor_returned carries.string_carried "
        "choices.get_by_number constants.attributes_by_name constants.dimension constants.keepdim "
        "constants.one_part constants.percent constants.stored constants.two_parts "
        "data_sizes.sizes_against_tensors data_sizes.squeezed_in_branch early_return.bare_return "
        "early_return.last_statement_absent "
        "exceptions.try_else_finally idioms.dataclass_method idioms.return_none_on_path "
        "joins.int_against_none_returned joins.mixed_nest joins.none_from_helper joins.none_in_tuple "
        "joins.none_or_default joins.none_or_tensor_returned joins.python_string_returned joins.rank_differs "
        "joins.strides_of_one_row_on_one_side joins.string_against_none joins.string_formatting_after "
        "joins.string_of_three list_reads.cleared_on_some_trips loop_exits.bare_return_at_end "
        "loop_exits.return_none_in_loop loop_exits.return_tuple_static models.decoding.confident_or_defer "
        "organized.nested_structures sorting.names_by_numbers",
        refused="GW140",
        target="[!o]*",
    ),
    # Lists that are replaced or merged: those of a length that the data decides, in an export; of lists, dicts, tuples.
    *_each(
        "replaced_lists.longer_by_one replaced_lists.chunks_flushed replaced_lists.longest_run "
        "replaced_lists.two_lists_exchanged replaced_lists.earlier_name_of_a_list replaced_lists.either_list "
        "replaced_lists.shorter_by_a_test replaced_lists.frontier_of_a_search replaced_lists.none_or_a_list "
        "replaced_lists.rows_by_a_test replaced_lists.earlier_name_in_a_tuple",
        refused="GW112",
        target="[!o]*",
    ),
    *_each(
        "merged_lists.made_a_list_or_a_tuple merged_lists.gone_through_in_every_way "
        "replaced_lists.tuple_longer_by_one replaced_lists.chunks_flushed_otherwise "
        "replaced_lists.rows_of_several_lengths replaced_lists.nothing_or_a_tensor replaced_lists.dicts_in_a_list",
        refused="GW112",
    ),
    *_each("replaced_lists.longer_in_place replaced_lists.earlier_name_of_an_object", refused="GW140", target="[!o]*"),
    *_each(
        "replaced_lists.tuples_from_several_exits attributes.attributes_behind_a_cache_of_one_side", refused="GW140"
    ),
    *_each(
        "append.augmented_assignment_in_loop append.list_of_a_length_of_the_data",
        refused="GW112",
        target="[!o]*",
    ),
    *_each("append.augmented_assignment_in_loop", refused="GW140", target="onnx"),
    *_each(
        "replaced_lists.none_or_a_list replaced_lists.rows_by_a_test replaced_lists.earlier_name_in_a_tuple",
        refused="GW140",
        target="onnx",
    ),
    *_each(
        "replaced_lists.earlier_name_of_a_list replaced_lists.either_list",
        gap="a list that is returned twice comes out as two lists",
        error="'<seen>' in eager",
        target="onnx",
    ),
    *_each(  # a tuple; of tuples; of several types
        "data_sizes.parts_handed_out list_reads.pairs_of_numbers boolean_operators.lazy_call_counts"
        " membership.matched_once membership.counted_by_key data_keys.set_of_a_list data_keys.counted_in_a_dict"
        " data_keys.counted_in_a_loop list_reads.the_same_of_each",
        refused="GW112",
    ),
    *_each(  # a raise after a change of an argument; or to a handler that a graph has not
        "exceptions.effects_around_raises exceptions.handler_of_helper exceptions.handler_in_caller"
        " exceptions.handler_in_caller_after_change exceptions.suppressed_in_callee"
        " exceptions.handler_logs_exception exceptions.handler_formats_traceback exceptions.handler_in_caller_in_loop"
        " exceptions.implicit_exceptions exceptions.effect_before_raise exceptions.raise_after_drawing"
        " exceptions.change_and_raise_in_loop exceptions.each_trip_raises exceptions.index_error_in_while"
        " exceptions.comprehension_raises checks.popped_from_none"
        " exceptions.operator_raises_in_try"
        " exceptions.more_and_more_on_the_diagonal exceptions.changed_before_an_operator_raises"
        " exceptions.manager_that_keeps_it",
        refused="GW105",
    ),
    *_each("exceptions.buffer_changed_before_raise exceptions.handler_reads_values", refused="GW140"),
    *_each(
        "attributes.class_attribute_on_one_side attributes.own_kind_of_tuple exceptions.failed_assert_caught"
        " iteration.dict_made_longer iteration.dict_made_longer_before_an_exit iteration.dict_of_some_entries_updated"
        " iteration.items_made_by_map iteration.items_made_with_an_effect",
        refused="GW140",
    ),
    Expect("foreign.array_or_tensor", refused="GW103"),
    *_each(
        "foreign.array_of_one_side foreign.array_of_each_side",
        gap="an exported program gives a tensor for an array of NumPy's",
        error="type ndarray in eager",
    ),
    *_each("iteration.dict_made_shorter iteration.deque_made_longer_before_an_exit", refused="GW105"),
    *_each(
        "output.print_in_nested_loops output.say_in_nested_loops output.say_very_often_in_a_trip"
        " output.print_masked_in_loop output.padded_to_a_multiple",
        refused="GW140",
    ),
    # Random numbers are other ones; complex ones are pairs of floats; half floats are computed as floats.
    *_each(
        "carries.dropout_in_body for_loops.layer_drop gradients.dropout_in_branch gradients.dropout_on_both_sides "
        "gradients.random_noise_multiplies joins.random_on_both_sides joins.random_on_one_side "
        "loop_exits.no_draw_after_dynamic_exit loop_exits.no_draw_after_exit organized.dropout_grad "
        "organized.random_in_branch organized.training_flag random_ops.attention_dropout_in_branch "
        "random_ops.draws_in_loop random_ops.dropout_in_loop random_ops.in_place_random random_ops.layers_left_out "
        "random_ops.masked_attention_dropout_in_branch random_ops.multinomial_sampling random_ops.nested_draws "
        "random_ops.noise_where_positive random_ops.random_choice random_ops.rejection_sampling",
        refused="GW140",
        target="onnx",
    ),
    *_each(
        "joins.complex_result organized.complex_dtype conditionals.half_overflow_clamp", refused="GW142", target="onnx"
    ),
    *_each("early_return.both_none", refused="GW140", target="onnx"),  # a model without results
    # Operators that ONNX, its exporter or ONNX Runtime has not.
    *_each(
        "calls.singular_matrix divisions.math_of_two_numbers "
        "divisions.signs_of_what_is_none divisions.bounded_functions "
        "conditionals.branch_inside_autocast exceptions.outside_of_domain "
        "joins.cholesky_only_where_positive linear_algebra.cholesky_where_positive linear_algebra.eigen "
        "linear_algebra.inverse_in_loop linear_algebra.inverse_where_positive linear_algebra.qr_svd "
        "linear_algebra.solve list_reads.more_items_than_there_is_room mutation.fill_diagonal "
        "predicates.bfloat16_predicate predicates.complex_truth",
        refused="GW141",
        target="onnx",
    ),
    *_each("foreign.python_random_before_branch", refused="GW141"),
    *_each(
        "carries.hash_of_trips carries.products_longer_than_64_bits carries.sums_longer_than_64_bits"
        " sorting.numbers sorting.rows_of_a_tensor",
        gap="no plain Python goes on with ints of more than 64 bits, or with NaN in a sort of numbers: it raises",
        error="raises exported only",
    ),
    *_each(
        "sorting.names_by_numbers",
        gap="no plain Python goes on with NaN in a sort of numbers: it raises",
        error="raises exported only",
        target="onnx",
    ),
    *_each("joins.input_list_or_new", gap="a list that goes in comes out as another list", error="'<seen>' in eager"),
    # What torch cannot write: namedtuples that are not registered, text, `round`; or decompose: regions that it traces
    # again without the autocast around them, or with vmap inside.
    *_each(
        "joins.namedtuples joins.typed_namedtuple",
        refused="GW141",
        target="saved",
    ),
    *_each("joins.same_python_value_both functions.user_context_manager", refused="GW140", target="saved"),
    *_each(
        "list_reads.more_items_than_there_is_room replaced_lists.longer_in_the_inner_loop_than_behind_it",
        gap="no plain Python goes on where a list outgrows its room: it raises",
        error="raises exported only",
        target="[!o]*",
    ),
    *_each("calls.vmap_inside_branch", refused="GW140"),
)

# Programs on which the trace does not end. They are not run: each would take the whole limit of time.
ENDLESS: dict[str, str] = {}


def expected(program: str, target: str, variant: str) -> Expect | None:
    return next((e for e in EXPECTED if e.covers(program, target, variant)), None)
