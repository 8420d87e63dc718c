"""Every part of torch that is not public and that `capture` builds on: what for, and on which torch it was checked.

`graphweld doctor` prints this table with what `probe` finds. A contract test holds it to the source of `capture`, so a
new torch is judged by reading one file. This file is long: it is one table. Nothing here imports torch before `probe`
is called.
"""

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

CHECKED = ("2.13.0",)
OURS = "graphweld."
_DYNAMO = "torch._dynamo"
_VARIABLES = "torch._dynamo.variables"
_SHAPES = "torch.fx.experimental.symbolic_shapes"


@dataclass(frozen=True, slots=True)
class Private:
    """One such part. `parameters` are those that a function patched by graphweld must have, in this order."""

    path: str
    reason: str
    parameters: tuple[str, ...] | None = None
    checked: tuple[str, ...] = CHECKED


@dataclass(frozen=True, slots=True)
class Probed:
    """What became of one part in the torch that is installed; `note` says what is wrong where not `ok`."""

    name: str
    reason: str
    ok: bool
    note: str = ""


def _each(inside: str, names: str, reason: str) -> tuple[Private, ...]:
    return tuple(Private(f"{inside}.{name}", reason) for name in names.split())


# -- patched, once a process, by capture.dynamo.install ---------------------------------------

_CALL = ("self", "tx", "args", "kwargs")
_METHOD = ("self", "tx", "name", "args", "kwargs")
_INLINER = f"{_DYNAMO}.symbolic_convert.InliningInstructionTranslator"

PATCHED = (
    Private(
        f"{_INLINER}.build_inline_tracer",
        "patched: a converted function's code is traced in place of its own",
        ("parent", "func", "args", "kwargs"),
    ),
    Private(
        f"{_INLINER}.inline_call",
        "patched: where a trace stops in a function with sites, it is converted and the trace starts over",
        ("parent", "func", "args", "kwargs"),
    ),
    Private(
        f"{_VARIABLES}.functions.UserFunctionVariable.call_function",
        "patched: operators of graphweld.runtime are staged and not traced",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.torch.TorchInGraphFunctionVariable.call_function",
        "patched: torch's functions take values that are one thing or another, and indices from tensors",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.higher_order_ops.AutogradFunctionApplyVariable.call_function",
        "patched: one tensor may be given to an autograd.Function twice",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.higher_order_ops.add_call_function",
        "patched: numbers that only a second look at an autograd.Function made are forgotten",
        ("tx", "fn", "args", "kwargs", "flat_example_value"),
    ),
    Private(
        f"{_VARIABLES}.builtin.BuiltinVariable._make_handler",
        "patched: built-in functions take values that the data decides",
        ("fn", "arg_types", "has_kwargs"),
    ),
    Private(
        f"{_VARIABLES}.misc.LoggingLoggerVariable.call_method",
        "patched: log records are made behind the graph",
        _METHOD,
    ),
    Private(
        f"{_VARIABLES}.functions.SkipFunctionVariable.call_function",
        "patched: warnings are given behind the graph",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.tensor.TensorVariable.call_method",
        "patched: methods of tensors that torch would break at or specialize",
        _METHOD,
    ),
    Private(
        f"{_VARIABLES}.tensor.TensorVariable.method_attr_data",
        "patched: `x.data`, whose changes a region would not see, and which an export takes for a constant",
        ("self", "tx"),
    ),
    Private(
        f"{_DYNAMO}.output_graph.SubgraphTracer.lift_tracked_freevar_to_input",
        "patched: torch gives a region the promise of a size, where it wants the size",
        ("self", "proxy"),
    ),
    Private(
        f"{_VARIABLES}.tensor.TensorVariable.method_item",
        "patched: `.item()` of an input is a number of the data, and not guarded on",
        ("self", "tx"),
    ),
    Private(
        f"{_VARIABLES}.builder.VariableBuilder.wrap_symfloat",
        "patched: a float that becomes an input is read in the outermost graph, whichever region meets it first",
        ("self", "value"),
    ),
    Private(
        f"{_VARIABLES}.functions.NestedUserFunctionVariable._get_function_impl",
        "patched: a nested function that shares an unbound variable can be called",
        ("self", "_converting"),
    ),
    Private(
        f"{_VARIABLES}.functions.PolyfilledFunctionVariable.call_function",
        "patched: sum, any, enumerate and the like over iterables whose length the data decides",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.iter.ItertoolsVariable.call_function",
        "patched: itertools over iterables whose length the data decides",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.builtin.BuiltinVariable.call_set",
        "patched: a set of numbers of the data is a list",
        ("self", "tx", "args", "kwargs"),
    ),
    Private(
        f"{_VARIABLES}.sets.SetVariable.sq_contains",
        "patched: a number of the data that is looked for in a set",
        ("self", "tx", "item"),
    ),
    Private(
        f"{_VARIABLES}.lazy.LazyConstantVariable.create",
        "patched: what changes its kind from call to call is looked at, not guarded by its type",
        ("value", "source", "options"),
    ),
    Private(
        f"{_VARIABLES}.builder.VariableBuilder.wrap_literal",
        "patched: a number that the program changes from call to call is an input",
        ("self", "value"),
    ),
    Private(
        f"{_VARIABLES}.builder.VariableBuilder.wrap_tensor",
        "patched: a tensor where the program keeps None in some calls is an input",
        ("self", "value"),
    ),
    Private(
        f"{_DYNAMO}.symbolic_convert.InstructionTranslatorBase._format_value",
        "patched: a number in a string is formatted behind the graph",
        ("self", "fmt_spec", "flags"),
    ),
    Private(
        f"{_VARIABLES}.misc.StringFormatVariable.create",
        "patched: a tensor in a string is formatted as it is now",
        ("format_string", "sym_args", "sym_kwargs"),
    ),
    Private(
        f"{_VARIABLES}.builder.get_fake_value",
        "patched: what an operator asks of sizes that the data decides is answered, or a check in front of it",
        ("node", "tx", "allow_non_graph_fake"),
    ),
    Private(
        f"{_SHAPES}.ShapeEnv.evaluate_expr",
        "patched: a question that has been answered",
        ("self", "orig_expr"),
    ),
    Private(
        f"{_DYNAMO}.codegen.PyCodegen.__call__",
        "patched: which results of a graph are picked outside of it",
        ("self", "value", "allow_cache"),
    ),
    Private(
        f"{_DYNAMO}.output_graph.OutputGraph.call_user_compiler",
        "patched: a compiled graph that ends in a raise leaves no trace",
        ("self", "gm", "example_inputs"),
    ),
    Private(
        f"{_DYNAMO}.symbolic_convert._detect_and_normalize_assert_statement",
        "patched: an assert raises AssertionError, as in Python",
        ("self", "truth_fn", "push"),
    ),
    Private(
        f"{_DYNAMO}.side_effects.SideEffects.mutation",
        "patched: what a region changes in lists, dicts and sets is seen before it changes",
        ("self", "var"),
    ),
    *(
        Private(f"{_VARIABLES}.{path}", "patched: arguments that are one constant or another, for either", parameters)
        for path, parameters in (
            ("builtin.GetAttrBuiltinVariable.call_function", _CALL),
            ("builtin.HasAttrBuiltinVariable.call_function", _CALL),
            ("builtin.SetAttrBuiltinVariable.call_function", _CALL),
            ("constant.ConstantVariable.call_method", _METHOD),
            ("lists.BaseListVariable.call_method", _METHOD),
            ("lists.TupleVariable.call_method", _METHOD),
            ("misc.AutogradFunctionVariable.call_method", _METHOD),
        )
    ),
    *(
        Private(
            f"{_DYNAMO}.symbolic_convert.InstructionTranslatorBase.{name}",
            "patched: f-strings with a part, and dicts and sets with a key, that is one string or another",
            ("self", "inst"),
        )
        for name in ("BUILD_STRING", "BUILD_SET", "BUILD_MAP")
    ),
    *(
        Private(
            f"{_DYNAMO}.symbolic_convert.InstructionTranslatorBase.{name}",
            "patched: `[*a, b]` and `b, c = a`, where the data decides how long `a` is",
            ("self", "inst"),
        )
        for name in ("LIST_APPEND", "LIST_EXTEND", "UNPACK_SEQUENCE")
    ),
    *(
        Private(
            f"{_VARIABLES}.dicts.ConstDictVariable.{name}", "patched: keys that the data decides", ("self", "tx", *more)
        )
        for name, more in (
            ("mp_ass_subscript_impl", ("key", "value")),
            ("mp_subscript_impl", ("key",)),
            ("sq_contains", ("item",)),
        )
    ),
    Private(
        f"{_VARIABLES}.lists.BaseListVariable.sq_contains",
        "patched: a list, tuple or deque with items of the data",
        ("self", "tx", "item"),
    ),
    Private(
        f"{_VARIABLES}.lists.SizeVariable.get_item_dyn",
        "patched: a dimension that a tensor has not is an IndexError of the program's",
        ("self", "tx", "arg"),
    ),
    Private(
        f"{_VARIABLES}.tensor.TensorVariable.dynamic_getattr",
        "patched: a tensor that an operator gave back as it was has the attributes that the program set",
        ("self", "tx", "name"),
    ),
    Private(
        f"{_VARIABLES}.tensor.TensorVariable.unpack_var_sequence",
        "patched: a loop over the rows of a tensor, of which there may be more in the next call",
        ("self", "tx", "idxes"),
    ),
    Private(
        f"{_VARIABLES}.functions.LocalGeneratorObjectVariable.gen_send_ex2",
        "patched: where a trace stops in a generator with sites, it is converted and the trace starts over",
        ("self", "tx", "arg"),
    ),
    Private(
        f"{_VARIABLES}.functions.LocalGeneratorObjectVariable.__init__",
        "patched: a generator knows the region it was made in",
        ("self", "code", "f_globals", "inline_tracer"),
    ),
    *(
        Private(f"{_VARIABLES}.{path}", "patched: an iterator sees what becomes of what it goes through", parameters)
        for path, parameters in (
            ("iter.DictViewIterator.__init__", ("self", "items")),
            ("iter.DictViewIterator.tp_iternext_impl", ("self", "tx")),
            ("lists.DequeVariable.tp_iter_impl", ("self", "tx")),
            ("lists.ListIteratorVariable.tp_iternext_impl", ("self", "tx")),
        )
    ),
    Private(
        f"{_VARIABLES}.functions.LocalGeneratorObjectVariable.tp_iternext_impl",
        "patched: a region must not advance a generator that was made outside of it",
        ("self", "tx"),
    ),
    *(
        Private(f"{_VARIABLES}.{path}", "patched: what only some paths have", parameters)
        for path, parameters in (
            ("dicts.ConstDictVariable.__init__", ("self", "items", "user_cls")),
            ("dicts.ConstDictVariable.richcompare_impl", ("self", "tx", "other", "op")),
            ("user_defined.UserDefinedObjectVariable.call_method", _METHOD),
            ("user_defined.UserDefinedObjectVariable.call_obj_hasattr", ("self", "tx", "name")),
            ("user_defined.UserDefinedObjectVariable.var_getattr", ("self", "tx", "name")),
        )
    ),
    Private(
        f"{_DYNAMO}.side_effects.SideEffects.load_attr",
        "patched: an attribute that only some paths have is read where it is there",
        ("self", "item", "name", "deleted_ok", "check"),
    ),
    Private(
        f"{_DYNAMO}.side_effects.SideEffects.codegen_update_mutated",
        "patched: attributes that only some paths have are set or deleted, and the caller's lists filled",
        ("self", "cg", "log_side_effects"),
    ),
    Private(
        f"{_DYNAMO}.symbolic_convert.InstructionTranslatorBase.RAISE_VARARGS",
        "patched: a `raise` of one exception or another",
        ("self", "inst"),
    ),
    Private(f"{_VARIABLES}.misc.RandomVariable.call_method", "patched: draws of Python's own are refused", _METHOD),
    Private(
        f"{_VARIABLES}.misc.NumpyVariable.call_function",
        "patched: draws of NumPy's are refused in regions",
        ("self", "tx", "args", "kwargs"),
    ),
    Private(
        f"{_VARIABLES}.user_defined.UserDefinedObjectVariable.call_function",
        "patched: draws of Python's own are refused in a region",
        _CALL,
    ),
    Private(
        f"{_VARIABLES}.misc.SuperVariable.call_method",
        "patched: `super().__init__(...)` in the program's exception classes",
        _METHOD,
    ),
    Private(
        "torch.export._trace._export",
        "patched: an export traces with Dynamo where it is to weld, and its constants are mended",
        ("mod", "args", "kwargs"),
    ),
    Private(
        "torch._export.passes.replace_set_grad_with_hop_pass._is_set_grad_enabled_sub_mod",
        "patched: `torch.no_grad()` holds for the branches and loops in it",
        ("node",),
    ),
    Private(
        "torch._export.serde.serialize.ExportedProgramSerializer.serialize",
        "patched: a program is readied before it is written to a file",
        ("self", "exported_program"),
    ),
    Private(
        "torch.export.ExportedProgram.run_decompositions",
        "patched: what stops a decomposition is told with a code",
        ("self",),
    ),
    Private(
        f"{_VARIABLES}.higher_order_ops.CheckpointHigherOrderVariable._call_function",
        "patched: a checkpoint is the function itself, in an export",
        _CALL,
    ),
    Private(
        "torch._higher_order_ops.utils.potential_input_alias_or_mutation",
        "patched: regions are run, and not traced, to see what they change",
        ("gm", "inputs", "pre_dispatch"),
    ),
    Private(
        "torch.fx.GraphModule.delete_all_unused_submodules",
        "patched: regions inside of regions are kept",
        ("self",),
    ),
    Private(
        "torch._subclasses.functional_tensor.FunctionalTensorMode.__torch_dispatch__",
        "patched: views behind a write, asked for a size",
        ("self", "func", "types", "args", "kwargs"),
    ),
)

_IR = "torch._inductor.ir"
INDUCTOR = (
    Private(
        "torch._inductor.codegen.common.KernelArgs.cpp_argdefs",
        "patched: floats of Python's are doubles in C++ code",
    ),
    Private(
        "torch._inductor.codecache.CppPythonBindingsCodeCache.suffix_template",
        "patched: how C++ code reads such a double",
    ),
    Private(
        "torch._inductor.compile_fx._compile_fx_inner",
        "patched: no reuse in place in a graph that holds a region",
        ("gm", "example_inputs"),
    ),
    Private(
        f"{_IR}.Conditional.create",
        "patched: a branch gets its operands in the strides that its code reads",
        ("predicate", "true_fn", "false_fn", "operands"),
    ),
    Private(
        "torch._inductor.fx_passes.reinplace.graph_call_function",
        "patched: a write to a slice of a slice, taken apart",
        ("graph", "fn", "args", "kwargs"),
    ),
    Private(
        "torch._inductor.codegen.wrapper.PythonWrapperCodegen.codegen_input_symbol_assignment",
        "patched: a size that a region gets in a sum only",
        ("self", "name", "value", "bound_vars"),
    ),
    Private(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv._rename_unbacked_to",
        "patched: a size that has turned out to be another's",
        ("self", "orig_s", "new_s"),
    ),
    Private(f"{_IR}.View.handle_negative_index", "patched: bounds of slices that the data decides", ("idx", "size")),
    Private(
        "torch._inductor.graph.GraphLowering.call_function",
        "patched: convolutions and products of matrices, of sizes that the data decides",
        ("self", "target", "args", "kwargs"),
    ),
)

_REMEMBERED = "patched: what a list, dict or set held is remembered before a method that may change it"
REMEMBERING = tuple(
    Private(f"{_VARIABLES}.{path}", _REMEMBERED, ("self", "tx"))
    for path in (
        "dicts.ConstDictVariable.call_method",
        "lists.CommonListMethodsVariable.call_method",
        "lists.DequeVariable.call_method",
        "lists.DequeVariable.sq_ass_item_impl",
        "lists.DequeVariable.sq_inplace_concat_impl",
        "lists.ListVariable.call_method",
        "lists.ListVariable.mp_ass_subscript_impl",
        "lists.ListVariable.sq_ass_item_impl",
        "lists.ListVariable.sq_inplace_concat_impl",
        "lists.ListVariable.sq_inplace_repeat_impl",
        "sets.SetVariable.call_method",
    )
)

# -- used --------------------------------------------------------------------------------------

_EXC = _each(
    f"{_DYNAMO}.exc",
    "BackendCompilerFailed BackendCompilerFailed.backend_name BackendCompilerFailed.inner_exception "
    "InternalTorchDynamoError ObservedException ObservedTypeError ObservedUserStopIteration RestartAnalysis "
    "TorchDynamoException TorchRuntimeError UncapturedHigherOrderOpError Unsupported UserError "
    "handle_observed_exception observed_exception_map raise_observed_exception",
    "to tell why a trace stopped, to start it over, and to raise in the traced program",
)

_VALUES = (
    *_each(
        f"{_VARIABLES}.base",
        "AsPythonConstantNotImplementedError AttrMutationKind AttributeMutationExisting ValueMutationExisting "
        "ValueMutationNew VariableTracker "
        "VariableTracker._nonvar_fields VariableTracker.build VariableTracker.visit",
        "the tracer's stand-ins for values; merges and dynamic sequences are such",
    ),
    *_each(
        f"{_VARIABLES}.builder",
        "get_specialized_props infer_subclass_type wrap_fx_proxy",
        "to make the stand-in of a node's result",
    ),
    *_each(f"{_VARIABLES}.builtin", "BuiltinVariable", "to stage built-in functions"),
    Private(
        f"{_VARIABLES}.builtin.BuiltinVariable.call_function_handler_cache",
        "emptied when the hooks are put in place: what torch alone made before does not know of them",
    ),
    *_each(
        f"{_VARIABLES}.constant",
        "ConstantVariable ConstantVariable.create ConstantVariable.is_literal",
        "known Python values",
    ),
    *_each(
        f"{_VARIABLES}.ctx_manager",
        "GenericContextWrappingVariable WithExitFunctionVariable",
        "the managers of a `with` that a raise goes through",
    ),
    *_each(f"{_VARIABLES}.dicts", "ConstDictVariable", "dicts that leave a region piece by piece"),
    *_each(f"{_VARIABLES}.dicts", "DunderDictVariable", "an object's `__dict__`"),
    *_each(
        f"{_VARIABLES}.functions",
        "ClosureConversionError LocalGeneratorFunctionVariable NestedUserFunctionVariable "
        "PolyfilledFunctionVariable SkipFunctionVariable "
        "UserFunctionVariable UserMethodVariable",
        "functions, to exchange their code",
    ),
    *_each(
        f"{_VARIABLES}.functions", "LocalGeneratorObjectVariable", "generators, whose place a region must not change"
    ),
    *_each(
        f"{_VARIABLES}.iter",
        "CountIteratorVariable DictViewIterator ItertoolsVariable MapVariable RepeatIteratorVariable SetIterator "
        "ZipVariable",
        "iterators",
    ),
    *_each(f"{_VARIABLES}.iter", "IteratorVariable", "iterators, whose place a region must not change"),
    *_each(
        f"{_VARIABLES}.lists",
        "BaseListVariable CommonListMethodsVariable DequeVariable ListIteratorVariable ListVariable RangeVariable "
        "SliceVariable TupleVariable",
        "sequences that leave a region piece by piece, ranges, slices",
    ),
    *_each(f"{_VARIABLES}.misc", "GetAttrVariable StringFormatVariable", "bound methods of merges, formatted strings"),
    *_each(f"{_VARIABLES}.misc", "DeletedVariable", "attributes that were deleted"),
    *_each(
        f"{_VARIABLES}.misc",
        "ExceptionVariable NumpyVariable RandomVariable SuperVariable SuperVariable._resolved_getattr_and_source",
        "exceptions as values, and how their classes make them; generators of random numbers",
    ),
    *_each(f"{_VARIABLES}.misc", "LoggingLoggerVariable", "loggers"),
    *_each(
        f"{_VARIABLES}.tensor",
        "NumpyNdarrayVariable SymNodeVariable SymNodeVariable.create TensorVariable",
        "tensors, and numbers that come out of tensors",
    ),
    *_each(f"{_VARIABLES}.lists", "SizeVariable", "sizes, which leave an exported program as tuples"),
    *_each(f"{_VARIABLES}.nn_module", "UnspecializedNNModuleVariable", "a choice among modules"),
    *_each(f"{_VARIABLES}.sets", "SetVariable", "sets"),
    *_each(f"{_VARIABLES}.torch", "TorchInGraphFunctionVariable", "torch's functions"),
    *_each(f"{_VARIABLES}.torch_function", "TorchFunctionModeStackVariable", "modes, which have no name"),
    *_each(
        f"{_VARIABLES}.user_defined",
        "UserDefinedClassVariable UserDefinedExceptionObjectVariable UserDefinedObjectVariable "
        "UserDefinedObjectVariable._base_vt",
        "objects that leave a region piece by piece",
    ),
)

_TRACER = (
    *_each(
        f"{_DYNAMO}.symbolic_convert",
        "InliningInstructionTranslator InstructionTranslatorBase InstructionTranslatorBase.current_instruction "
        "InstructionTranslatorBase.exn_vt_stack InstructionTranslatorBase.export InstructionTranslatorBase.f_code "
        "InstructionTranslatorBase.f_globals InstructionTranslatorBase.fake_mode InstructionTranslatorBase.indexof "
        "InstructionTranslatorBase.instructions InstructionTranslatorBase.lineno InstructionTranslatorBase.output "
        "InstructionTranslatorBase.parent InstructionTranslatorBase.debug_locals "
        "InstructionTranslatorBase.dispatch_table InstructionTranslatorBase.pop InstructionTranslatorBase.push "
        "InstructionTranslatorBase.speculation_log InstructionTranslatorBase.stack "
        "InstructionTranslatorBase.symbolic_torch_function_state "
        "InstructionTranslatorBase.symbolic_locals",
        "the running trace: its frames, its place in the program, output to make behind the graph",
    ),
    *_each(
        f"{_DYNAMO}.output_graph.OutputGraph",
        "create_proxy current_tracer export fake_mode install_subgraph nn_modules root_tracer root_tx shape_env "
        "side_effects subtracer tracers unspec_variable_map",
        "to add nodes and sub-graphs to the graph under construction",
    ),
    *_each(
        f"{_DYNAMO}.output_graph.SubgraphTracer",
        "_input_versions_at_beginning allow_side_effects_in_hop bound_symbols create_graph_input graph lifted_freevars "
        "maybe_lift_tracked_freevar_to_input parent source_target",
        "a region's graph while it is open: inputs, and which of them change in place",
    ),
    *_each(
        f"{_DYNAMO}.side_effects.SideEffects",
        "_get_modified_vars attr_mutation_kinds id_to_variable is_empty mutation_user_stacks output_graph_weakref "
        "store_attr store_attr_mutations track_object_existing",
        "what a region changes in Python objects: taken out, and written once behind it",
    ),
    *_each(f"{_DYNAMO}.side_effects", "SideEffects", "the table of changes to Python objects"),
    *_each(f"{_DYNAMO}.current_scope_id", "current_scope_id", "to know objects that a region made from older ones"),
    *_each(f"{_DYNAMO}.source", "AttrSource", "to name the stand-in for what is absent in the code behind the graph"),
    *_each(f"{_DYNAMO}.source", "ChainedSource", "to know where a number that changes is kept"),
    *_each(
        f"{_DYNAMO}.guards",
        "GuardManagerType GuardManagerType.GUARD_MANAGER install_guard",
        "to guard what a program keeps from call to call, where it is an input of the graph",
    ),
    *_each(
        f"{_VARIABLES}.builder",
        "GraphArg wrap_to_fake_tensor_and_record",
        "to make an input of the graph of what a program keeps from call to call",
    ),
    *_each(f"{_DYNAMO}.source", "FloatTensorSource", "to know a Python float that torch carries as a tensor"),
    *_each(
        f"{_DYNAMO}.bytecode_transformation",
        "create_call_function create_instruction",
        "to pick the Python object behind the graph",
    ),
    *_each(
        f"{_DYNAMO}.codegen.PyCodegen",
        "tx add_push_null append_output create_load_const create_load_const_unchecked extend_output foreach "
        "load_import_from",
        "to pick the Python object behind the graph",
    ),
    *_each(f"{_DYNAMO}.utils", "graph_break_reasons", "the breaks that a report tells of"),
    *_each(f"{_DYNAMO}.eval_frame", "skip_code", "to leave alone what picks Python objects behind a graph"),
    *_each(
        f"{_DYNAMO}.utils",
        "counters get_compilation_metrics set_compilation_metrics_limit",
        "graphs, recompiles and time of a program that runs",
    ),
    *_each(f"{_DYNAMO}.utils", "set_example_value", "to note that a node has no result"),
    *_each(
        f"{_DYNAMO}.config",
        "patch allow_rnn capture_dynamic_output_shape_ops capture_scalar_outputs trace_autograd_ops",
        "what torch can trace but leaves off by default",
    ),
)

_VALUES_OF_DATA = (
    *_each(
        _SHAPES,
        "DimDynamic DimDynamic.DYNAMIC GuardOnDataDependentSymNode compute_unbacked_bindings free_unbacked_symbols "
        "statically_known_true uninteresting_files",
        "to know the numbers and sizes that the data decides",
    ),
    *_each(
        f"{_SHAPES}.ShapeEnv",
        "_inner_evaluate_expr _replacements_version_counter _version_counter axioms bound_sympy constrain_symbol_range "
        "guard_or_defer_runtime_assert create_symintnode deferred_runtime_asserts "
        "ignore_fresh_unbacked_symbols pending_fresh_unbacked_symbols replacements var_to_range",
        "to keep what a region learns about sizes inside of it",
    ),
    *_each(
        "torch.utils._sympy.symbol",
        "SymT SymT.UNBACKED_FLOAT SymT.UNBACKED_INT symbol_is_type",
        "to know the numbers and sizes that the data decides",
    ),
    *_each("torch", "_check", "facts about sizes that only the program knows"),
    *_each(
        "torch",
        "_check_index _check_not_implemented _check_tensor_all _check_tensor_all_with _check_type _check_value "
        "_check_with",
        "checks of a program's own, which raise",
    ),
)

_TENSORS = (
    *_each("torch.Tensor", "_version", "to see that a tensor was changed in place"),
    *_each(
        f"{_VARIABLES}.lazy",
        "LazyCache LazyConstantVariable LazyVariableTracker",
        "to look at what changes its kind from call to call",
    ),
    *_each("torch.UntypedStorage", "_cdata", "to see that two tensors share memory"),
    *_each(
        "torch._prims_common", "is_non_overlapping_and_dense_or_false", "to see that a tensor leaves no gap in memory"
    ),
    *_each("torch._prims_common", "make_contiguous_strides_for", "to know when a filler is a plain one"),
    *_each(
        "torch._subclasses",
        "fake_tensor.FakeTensor functional_tensor.FunctionalTensor functional_tensor.FunctionalTensorMode",
        "to know a graph that is traced from one that is run",
    ),
    *_each("torch._subclasses.functional_tensor", "FunctionalTensor.metadata_fns", "to know when a size is asked for"),
    *_each("torch._ops.OpOverload", "_can_decompose decompose", "to take such an operator apart as the first time"),
    *_each("torch.utils._sympy.functions", "Where", "a number that a test chooses, in Inductor's code"),
    *_each("torch._C._nn", "pad_sequence", "to pad sequences whose lengths the data decides"),
    *_each("torch", "_from_functional_tensor _sync", "to make views again where that is recorded"),
)

_GRADIENTS = (
    *_each("torch._ops", "HigherOrderOperator", "to know nodes that hold sub-graphs"),
    *_each(
        "torch._higher_order_ops",
        "utils.materialize_as_graph while_loop.while_loop_op while_loop.while_loop_stack_output_op",
        "the loop operator, under gradient rules of graphweld's own",
    ),
    *_each("torch._functorch.autograd_function", "autograd_function_apply", "to know the node of an autograd.Function"),
    *_each(
        "torch._C",
        "_AutoDispatchBelowAutograd _dispatch_tls_local_exclude_set _dispatch_tls_local_include_set",
        "to trace backward graphs in the state of the forward",
    ),
)

_EXPORT = (
    *_each(
        "torch.utils._pytree",
        "GetAttrKey SequenceKey keystr tree_flatten tree_flatten_with_path tree_leaves tree_leaves_with_path "
        "tree_map_only tree_unflatten",
        "results as an export takes them apart, inputs as it does, and names for the tensors in them",
    ),
)

_REST = (
    *_each(
        "torch.ops.aten",
        "_assert_async _assert_scalar _assert_tensor_metadata _linalg_check_errors",
        "checks that operators make, in a region that is traced again",
    ),
    *_each("torch.ops.aten", "_cdist_forward", "distances, for which torch's ONNX exporter has no translation"),
    *_each(
        "torch.ops.aten",
        "_native_batch_norm_legit_functional",
        "batch normalization in training mode, which torch's ONNX exporter translates to another one",
    ),
    *_each("torch.utils._python_dispatch", "TorchDispatchMode", "to see those checks"),
    *_each("torch.fx.experimental.proxy_tensor", "make_fx", "to put those checks into a region of an exported program"),
    *_each(
        "torch._higher_order_ops.utils",
        "_maybe_run_with_interpreter _maybe_reenter_make_fx",
        "replaced while a program is decomposed: what a region tells of sizes holds in that region",
    ),
    *_each("torch._guards", "detect_fake_mode", "whose facts about sizes a region is traced under"),
    *_each("torch._subclasses.fake_tensor", "FakeTensorMode", "under which a region is run for what it gives"),
    *_each("torch._refs", "_broadcast_shapes", "who asks whether a size is less than 0"),
    *_each("torch._decomp", "decomposition_table", "where a change at one position gets a decomposition of ours"),
    *_each("torch._export.serde.serialize", "ExportedProgramSerializer", "what writes exported programs"),
    *_each("torch._C", "_set_grad_enabled", "where the mode changes, in an exported program"),
    *_each("torch._C._functorch", "is_batchedtensor", "a position in `torch.vmap`, which is many"),
    *_each("torch._functorch.predispatch", "_add_batch_dim", "where `torch.vmap` begins, in an exported program"),
    *_each("torch.fx.experimental.proxy_tensor", "disable_proxy_modes_tracing", "to run a region, and trace nothing"),
    *_each("torch.amp.autocast_mode", "_enter_autocast", "what an exported program enters autocast with"),
    *_each("torch._higher_order_ops.wrap", "TagActivationCheckpoint", "which arguments are the checkpoint's own"),
    *_each(_SHAPES, "free_symbols", "the sizes that a written program is told of"),
    *_each("torch", "_assert_async", "to end a compiled call where the program raises"),
    *_each(
        _IR,
        "ExternKernel ExternKernel.realize_input ExternKernel.require_exact_strides "
        "WhileLoop._maybe_wrap_as_tensor_box",
        "to lay the operands of a branch out",
    ),
    *_each("torch._inductor", "compile_fx", "where Inductor begins with a graph"),
    *_each("torch._inductor", "config", "to have it reuse no memory in place"),
    *_each("torch._inductor.graph", "GraphLowering", "to lower what has sizes that the data decides"),
    *_each(
        "torch._inductor.sizevars",
        "SizeVarAllocator SizeVarAllocator.guarding_hints_or_throw SizeVarAllocator.optimization_hints",
        "the sizes that Inductor takes for examples",
    ),
    *_each(
        "torch._inductor.codegen.wrapper", "PythonWrapperCodegen", "to name a size that a region gets in a sum only"
    ),
    *_each("torch._inductor.ir", "TensorBox", "what has sizes among a region's inputs"),
    *_each("torch._inductor.lowering", "as_strided lowerings", "to lower parts whose place the first trace has known"),
    *_each(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv",
        "_set_replacement",
        "a size that has turned out to be another's",
    ),
    *_each("torch._inductor.virtualized", "V", "the node that Inductor is at"),
    *_each("torch._inductor", "aoti_compile_and_package aoti_load_package", "packages that run without Python"),
    *_each("torch", "_TorchCompileInductorWrapper", "torch.compile's Inductor, called with a setting of its own"),
)

TABLE: tuple[Private, ...] = (
    *PATCHED, *INDUCTOR, *REMEMBERING, *_EXC, *_VALUES, *_TRACER, *_VALUES_OF_DATA, *_TENSORS, *_GRADIENTS, *_EXPORT,
    *_REST,
)  # fmt: skip


def probe(table: tuple[Private, ...] = TABLE) -> Iterator[Probed]:
    """Look each part up in the torch that is installed. Changes nothing, and raises nothing whatever torch it is."""
    for private in table:
        note = _fault(private)
        yield Probed(private.path, private.reason, not note, note)


def _fault(private: Private) -> str:
    """What is wrong with one part; empty where nothing is."""
    try:
        found = _resolve(private.path)
    except Exception as error:  # noqa: BLE001 - a module of another torch may raise anything when it is imported
        return f"cannot be imported ({type(error).__name__}: {str(error).partition(chr(10))[0]})"
    if found is _GONE:
        return "not there"
    if private.parameters is None:
        return ""
    names = _parameters(found, private.path)
    if names is None:
        return "cannot be read"
    if names[: len(private.parameters)] != private.parameters:
        return f"takes ({', '.join(names)}), not ({', '.join(private.parameters)})"
    return ""


_GONE = object()
_IN_INSTANCES = object()  # an attribute that objects have and their class does not


def _resolve(path: str) -> Any:
    """What a dotted path leads to, or `_GONE`: a module as far as there is one, attributes from there."""
    parts = path.split(".")
    for depth in range(len(parts), 0, -1):
        found = _module(".".join(parts[:depth]))
        if found is not _GONE:
            return _attribute(found, parts[depth:])
    return _GONE


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            return _GONE
        raise


def _attribute(found: Any, names: list[str]) -> Any:
    for name in names:
        inner = getattr(found, name, _GONE)
        if inner is _GONE:
            return _IN_INSTANCES if inspect.isclass(found) and _has_in_instances(found, name) else _GONE
        found = inner
    return found


def _has_in_instances(cls: type, name: str) -> bool:
    """Whether a class declares an attribute, or one of its initializers names it."""
    initializers = [vars(base).get(method) for base in cls.__mro__ for method in ("__init__", "_init")]
    return any(name in inspect.get_annotations(base) for base in cls.__mro__) or any(
        name in getattr(getattr(method, "__code__", None), "co_names", ()) for method in initializers
    )


def _parameters(found: Any, path: str) -> tuple[str, ...] | None:
    """The names of a function's parameters; of torch's own where graphweld's stands in its place already."""
    function = inspect.unwrap(getattr(found, "__func__", found))
    if getattr(function, "__module__", "").startswith(OURS):
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        name = path.rpartition(".")[2]
        originals = [f for f in cells if getattr(f, "__name__", "") == name and not f.__module__.startswith(OURS)]
        if len(originals) != 1:
            return None
        function = originals[0]
    try:
        names = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names[1:] if names[:1] == ("cls",) else names
