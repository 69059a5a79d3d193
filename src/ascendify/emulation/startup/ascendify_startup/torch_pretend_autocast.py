"""``torch.autocast`` for a GPU, on tensors of the CPU.

PyTorch casts other operations on a CPU than on a GPU: a softmax would stay in half precision. So
the kernels that cast on the CPU are replaced by kernels that follow the lists of the GPU.
"""

import warnings

LOWER = (
    "_convolution",
    "_convolution.deprecated",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d.input",
    "conv_transpose3d.input",
    "convolution",
    "einsum",
    "gru_cell",
    "linalg_multi_dot",
    "linear",
    "lstm_cell",
    "matmul",
    "mm",
    "mv",
    "prelu",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
)
"""Computed in the type that autocast was given."""
SINGLE = (
    "acos",
    "asin",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "dist",
    "erfinv",
    "exp",
    "expm1",
    "frobenius_norm.dim",
    "group_norm",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "logsumexp",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "native_layer_norm",
    "nll_loss",
    "nll_loss2d",
    "nuclear_norm",
    "nuclear_norm.dim",
    "pdist",
    "poisson_nll_loss",
    "pow.Scalar",
    "pow.Tensor_Scalar",
    "pow.Tensor_Tensor",
    "reciprocal",
    "renorm",
    "rsqrt",
    "sinh",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softplus",
    "tan",
    "triplet_margin_loss",
)
"""Computed in float32."""
RESULT_IN_SINGLE = (
    "cumprod",
    "cumsum",
    "linalg_matrix_norm",
    "linalg_matrix_norm.str_ord",
    "linalg_vector_norm",
    "log_softmax.int",
    "prod",
    "prod.dim_int",
    "softmax.int",
    "sum",
    "sum.dim_IntList",
)
"""Computed in float32 unless the call names a type."""
WIDEST = (
    "addcdiv",
    "addcmul",
    "atan2",
    "bilinear",
    "cross",
    "dot",
    "grid_sampler",
    "index_put",
    "scatter_add",
    "tensordot",
)
"""Computed in the widest type among the arguments."""
_KEY = "AutocastCPU"
_CASTS = {}
"""Parameters to what they were cast to, until the outermost autocast ends."""
_LIBRARIES = []


def begin():
    """Let every form of autocast for a GPU switch on these kernels."""
    import torch

    _for_the_cpu(torch)
    with warnings.catch_warnings():
        # torch says that kernels are replaced
        warnings.simplefilter("ignore")
        _replace_kernels(torch)


def _for_the_cpu(torch):
    from torch.amp import autocast_mode
    from torch.cuda.amp import common

    common.amp_definitely_not_available = lambda: False
    initialise = autocast_mode.autocast.__init__

    def begin_autocast(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type == "cuda":
            device_type = "cpu"
            dtype = dtype or torch.float16
        initialise(self, device_type, dtype, enabled, cache_enabled)

    autocast_mode.autocast.__init__ = begin_autocast
    for name in (
        "is_autocast_enabled",
        "set_autocast_enabled",
        "get_autocast_dtype",
        "set_autocast_dtype",
    ):
        _ask_the_cpu(torch, name)
    torch.get_autocast_gpu_dtype = lambda: torch.get_autocast_dtype("cpu")
    torch.set_autocast_gpu_dtype = lambda dtype: torch.set_autocast_dtype("cpu", dtype)
    clear = torch.clear_autocast_cache

    def clear_all():
        _CASTS.clear()
        clear()

    torch.clear_autocast_cache = clear_all


def _ask_the_cpu(torch, name):
    """Without a device these functions mean CUDA."""
    function = getattr(torch, name)

    def of_the_cpu(*args, **kwargs):
        if "device_type" in kwargs:
            args = (kwargs.pop("device_type"), *args)
        if not args or not isinstance(args[0], str):
            args = ("cpu", *args)
        elif args[0] == "cuda":
            args = ("cpu", *args[1:])
        return function(*args, **kwargs)

    setattr(torch, name, of_the_cpu)


def _replace_kernels(torch):
    library = torch.library.Library("aten", "IMPL")
    _LIBRARIES.append(library)  # its kernels go with it
    ours = {}
    for names, make in (
        (LOWER, _lower),
        (SINGLE, _single),
        (RESULT_IN_SINGLE, _result_in_single),
        (WIDEST, _widest),
    ):
        for name in names:
            operator = _operator(torch, name)
            if operator is not None:
                ours[name] = make(torch, operator)
    for name, kernel in ours.items():
        library.impl(name, kernel, _KEY, allow_override=True)
    for full in torch._C._dispatch_get_registrations_for_dispatch_key(_KEY):
        space, _, name = full.partition("::")
        if space == "aten" and name not in ours:
            library.impl(name, torch.library.fallthrough_kernel, _KEY, allow_override=True)


def _operator(torch, name):
    base, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, base, None)
    return getattr(packet, overload or "default", None)


def _without_autocast(torch):
    key = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, _KEY))
    return torch._C._ExcludeDispatchKeyGuard(key)


def _lower(torch, operator):
    def kernel(*args, **kwargs):
        dtype = torch.get_autocast_dtype("cpu")
        with _without_autocast(torch):
            return operator(*_cast(torch, args, dtype), **_cast_named(torch, kwargs, dtype))

    return kernel


def _single(torch, operator):
    def kernel(*args, **kwargs):
        single = torch.float32
        with _without_autocast(torch):
            return operator(*_cast(torch, args, single), **_cast_named(torch, kwargs, single))

    return kernel


def _result_in_single(torch, operator):
    place = [argument.name for argument in operator._schema.arguments].index("dtype")

    def kernel(*args, **kwargs):
        named = kwargs.get("dtype") is not None or (len(args) > place and args[place] is not None)
        if not named and _is_cast(torch, args[0]):
            args = args[:place]
            kwargs = dict(kwargs, dtype=torch.float32)
        with _without_autocast(torch):
            return operator(*args, **kwargs)

    return kernel


def _widest(torch, operator):
    def kernel(*args, **kwargs):
        dtype = torch.get_autocast_dtype("cpu")
        for value in (*args, *kwargs.values()):
            for one in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(one, torch.Tensor) and one.dtype is torch.float32:
                    dtype = torch.float32
        with _without_autocast(torch):
            return operator(*_cast(torch, args, dtype), **_cast_named(torch, kwargs, dtype))

    return kernel


def _is_cast(torch, value):
    return (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype is not torch.float64
    )


def _cast(torch, values, dtype):
    return [_cast_one(torch, value, dtype) for value in values]


def _cast_named(torch, values, dtype):
    return {name: _cast_one(torch, value, dtype) for name, value in values.items()}


def _cast_one(torch, value, dtype):
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(torch, value, dtype))
    if not _is_cast(torch, value) or value.dtype is dtype:
        return value
    # A parameter is cast once, so that its gradients add up in the lower type, as on a GPU.
    if not (
        value.is_leaf
        and value.requires_grad
        and dtype is not torch.float32
        and torch.is_autocast_cache_enabled()
    ):
        return value.to(dtype)
    key = (id(value), dtype)
    if key not in _CASTS:
        _CASTS[key] = (value, value.to(dtype))
    return _CASTS[key][1]
