"""What torch's and Python's functions, methods and attributes give. Tables of names, so that torch is not needed."""

from __future__ import annotations

# Attributes of a tensor that hold no tensor values.
PLAIN_ATTRIBUTES = frozenset(
    "shape dtype device ndim requires_grad is_cuda is_cpu is_meta is_sparse is_quantized layout names grad_fn "
    "is_leaf itemsize nbytes output_nr retains_grad is_nested is_mps is_xla config training __class__ __name__".split()
)
TENSOR_ATTRIBUTES = frozenset("T mT H mH real imag data grad".split())

# Methods of a tensor.
PLAIN_METHODS = frozenset(
    "size dim numel nelement stride is_contiguous element_size is_floating_point is_complex data_ptr type get_device "
    "ndimension storage untyped_storage storage_offset has_names backward register_hook requires_grad_ is_shared "
    "is_signed is_conj is_inference is_same_size is_set_to retain_grad".split()
)
SCALAR_METHODS = frozenset({"item"})
LIST_METHODS = frozenset({"tolist"})
TRUTH_METHODS = frozenset({"equal", "allclose", "is_nonzero"})  # a Python bool, made of values
MASK_METHODS = frozenset(
    "bool isnan isinf isfinite eq ne lt le gt ge logical_and logical_or logical_not logical_xor any all isin "
    "greater greater_equal less less_equal not_equal isclose isposinf isneginf isreal signbit".split()
)
VARYING_METHODS = frozenset("nonzero argwhere unique unique_consecutive masked_select bincount".split())
SEQUENCE_METHODS = frozenset("split chunk unbind tensor_split hsplit vsplit dsplit split_with_sizes".split())
PAIR_METHODS = frozenset("topk sort kthvalue mode cummax cummin frexp qr eig slogdet aminmax histogram lu".split())
PAIR_WITH_DIM = frozenset({"max", "min", "median", "nanmedian"})

# Methods that hardly anything but tensors (and arrays) has: on a value of unknown kind they tell what it is.
TELLING_METHODS = frozenset(
    "any all item tolist nonzero masked_select isnan isinf isfinite logical_and logical_or logical_not masked_fill "
    "masked_fill_ masked_scatter unsqueeze squeeze_ detach cumsum argmax argmin amax amin clamp softmax log_softmax "
    "argsort gather scatter_ scatter_add_ index_select eq ne gt lt ge le flatten unbind".split()
)

NO_TENSOR_METHOD = ("get_", "is_", "has_", "set_", "to_", "from_")  # objects that only were annotated as tensors
SAME_TYPE_METHODS = frozenset(
    "unsqueeze squeeze flatten detach view reshape expand repeat transpose permute contiguous clone cpu cuda t "
    "expand_as view_as roll flip".split()
)
CERTAIN_METHODS = frozenset({"any", "all", "item", "tolist", "nonzero"})

# A tensor among their arguments is read as a size.
SIZE_FUNCTIONS = frozenset("split zeros ones empty full rand randn arange".split())
SIZE_METHODS = frozenset("split view reshape expand repeat new_zeros new_ones new_empty unflatten narrow".split())

# Functions of the module `torch` that give no tensor.
PLAIN_FUNCTIONS = frozenset(  # besides is_*, get_* and set_*
    "device dtype Size no_grad enable_grad inference_mode finfo iinfo manual_seed seed initial_seed compile numel "
    "promote_types result_type can_cast Generator typename autocast use_deterministic_algorithms broadcast_shapes "
    "are_deterministic_algorithms_enabled save load Stream Event vmap sym_int sym_max sym_min sym_not sym_float cond "
    "while_loop fork wait".split()
)
TRUTH_FUNCTIONS = frozenset({"equal", "allclose", "is_nonzero"})
VARYING_FUNCTIONS = VARYING_METHODS
MASK_FUNCTIONS = MASK_METHODS - {"bool"}
SEQUENCE_FUNCTIONS = SEQUENCE_METHODS | {"meshgrid", "broadcast_tensors", "unravel_index"}
PAIR_FUNCTIONS = PAIR_METHODS | {"var_mean", "std_mean", "svd", "lstm", "gru", "triangular_solve"}

# Modules below torch of which every function gives a tensor (as do all functions of torch that no table names).
TENSOR_MODULES = frozenset("torch torch.nn.functional torch.linalg torch.special torch.fft torch.Tensor".split())
GUARDS = frozenset(  # false (or true) for certain while torch traces
    "torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._dynamo.is_compiling torch.jit.is_scripting "
    "torch.jit.is_tracing torch._utils.is_compiling".split()
)
TRUE_WHILE_TRACING = frozenset(
    "torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._dynamo.is_compiling".split()
)

TENSOR_TYPES = frozenset(
    "Tensor FloatTensor LongTensor IntTensor BoolTensor HalfTensor DoubleTensor ByteTensor ShortTensor CharTensor "
    "BFloat16Tensor Parameter Buffer".split()
)
PLAIN_TYPES = frozenset("int float bool str bytes None NoneType Size dtype device SymInt Generator Callable".split())
SEQUENCE_TYPES = frozenset("list tuple List Tuple Sequence Iterable Iterator Generator Collection set".split())
UNION_TYPES = frozenset({"Optional", "Union"})

# Layers of torch.nn whose call does not give one tensor. (All others do.)
PAIR_LAYERS = frozenset("LSTM GRU RNN LSTMCell MultiheadAttention".split())
CONTAINER_LAYERS = frozenset({"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"})
NO_LAYERS = frozenset({"Module", "Parameter", "Buffer", "UninitializedParameter"})

ARRAY_MAKERS = frozenset(
    "array asarray zeros ones full arange empty zeros_like ones_like full_like concatenate stack where linspace eye "
    "broadcast_to put_along_axis".split()
)

# Parameters with these names hold tensors, wherever torch is used.
TENSOR_NAMES = frozenset(
    "hidden_states hidden_state input_ids attention_mask inputs_embeds pixel_values position_ids token_type_ids "
    "input_features input_values encoder_hidden_states encoder_attention_mask decoder_input_ids "
    "decoder_attention_mask logits labels query_states key_states value_states padding_mask key_padding_mask "
    "query_layer key_layer value_layer attn_mask attn_weights attention_scores cu_seqlens lengths grid_thw "
    "image_grid_thw video_grid_thw pixel_mask pixel_attention_mask targets tensor".split()
)

# Functions that the tracer never enters, by the names that people and torch give them.
NOT_TRACED = frozenset(
    "__init__ _init_weights init_weights reset_parameters extra_repr __repr__ from_pretrained save_pretrained "
    "from_config __getstate__ __setstate__ state_dict load_state_dict _load_from_state_dict __init_subclass__".split()
)

COMPILERS = frozenset("torch.compile graphweld.compile torch.export.export".split())
UNTRACED_DECORATORS = frozenset(
    "torch.compiler.disable torch._dynamo.disable torch.compiler.assume_constant_result torch.jit.unused "
    "torch._dynamo.disallow_in_graph torch.jit.ignore typing.overload".split()
)

# Calls at which torch breaks, whatever they are given.
BREAKING_CALLS = frozenset(
    "input open breakpoint torch._dynamo.graph_break pdb.set_trace torch.save torch.load pickle.dump pickle.load "
    "os.system subprocess.run time.sleep".split()
)
SAYING_CALLS = frozenset({"print", "warnings.warn"})
SAYING_METHODS = frozenset("debug info warning warning_once warn error exception critical log".split())
LOGGERS = frozenset({"logger", "logging", "log", "_logger", "LOGGER", "LOG"})
SWITCHED_OFF = frozenset("torch.compiler.disable torch._dynamo.disable torch._dynamo.disallow_in_graph".split())
