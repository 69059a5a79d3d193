"""Pretended libraries of a GPU: cuDNN, cuBLAS, cuFFT, attention kernels."""

from ascendify_startup.torch_pretend_cuda import always
from ascendify_startup.torch_pretend_marks import current, gpu_of, marked, unmark

_CUDNN_VERSION = 90100
_LARGEST_PLAN_CACHE = 4096


def begin():
    """Pretend that the libraries are available; their settings are stored without effect."""
    import torch

    # weights of an RNN are not rearranged: a CPU needs no particular order
    torch._use_cudnn_rnn_flatten_weight = always(False)
    _cudnn(torch)
    _cuda(torch)
    _plan_cache(torch)


def answers(torch):
    """Return replacements for functions that use libraries of a GPU."""
    found = {}
    for name in ("_pack_padded_sequence", "_pad_packed_sequence"):
        function = getattr(torch, name)
        found[function] = _lengths_on_cpu(function)
    found[torch.nn.functional.scaled_dot_product_attention] = _attention
    return found


def _cudnn(torch):
    from torch.backends import cudnn

    has_some = cudnn.version() is not None
    if not hasattr(torch._C, "_cuda_get_cudnn_benchmark_limit"):
        limit = [10]
        torch._C._cuda_get_cudnn_benchmark_limit = lambda: limit[0]
        torch._C._cuda_set_cudnn_benchmark_limit = lambda number: limit.__setitem__(0, number)

    def is_acceptable(tensor):
        if not torch._C._get_cudnn_enabled():
            return False
        return marked(tensor) is not None and tensor.dtype in (
            torch.half,
            torch.float,
            torch.double,
        )

    # torch replaces the module by an object with properties, which holds the module.
    for holder in (cudnn, getattr(cudnn, "m", None)):
        if holder is not None:
            holder.is_available = always(True)
            holder.is_acceptable = is_acceptable
            if not has_some:
                holder.version = always(_CUDNN_VERSION)


def _cuda(torch):
    from torch.backends import cuda

    cuda.is_built = always(True)
    for name, setter in (
        ("preferred_linalg_library", "_LinalgBackends"),
        ("preferred_blas_library", "_BlasBackends"),
    ):
        if hasattr(cuda, name):
            setattr(cuda, name, _preference(getattr(cuda, setter), getattr(cuda, name)))
    if hasattr(cuda, "is_flash_attention_available"):
        cuda.is_flash_attention_available = always(True)
    for name, switch in (
        ("can_use_flash_attention", "flash_sdp_enabled"),
        ("can_use_efficient_attention", "mem_efficient_sdp_enabled"),
        ("can_use_cudnn_attention", "cudnn_sdp_enabled"),
    ):
        if hasattr(cuda, name):
            setattr(cuda, name, _can_use(torch, getattr(cuda, switch), "efficient" in name))
    for name in ("cublas_workspace_size", "cublaslt_workspace_size", "blas_workspace_size"):
        if hasattr(cuda, name):
            setattr(cuda, name, _workspace())


def _workspace():
    chosen = [8 << 20]

    def size(size=None, *args):
        if size is not None:
            chosen[0] = size
        return chosen[0]

    return size


def _preference(known, original):
    """Return a function that stores and returns a preferred library."""
    # old releases do not list the default
    chosen = [known["default"] if "default" in known else original()]

    def prefer(backend=None):
        if isinstance(backend, str):
            if backend not in known:
                return original(backend)  # raises the error for an unknown name
            backend = known[backend]
        if backend is not None:
            chosen[0] = backend
        return chosen[0]

    return prefer


def _can_use(torch, is_enabled, any_precision):
    def can_use(params, debug=False):
        query = params.query
        halves = (torch.float16, torch.bfloat16)
        fits = query.dim() == 4 and query.size(-1) <= 256
        return bool(is_enabled()) and fits and (any_precision or query.dtype in halves)

    return can_use


def _lengths_on_cpu(function):
    """Wrap the packing of sequences: the lengths, its second result, stay on the CPU."""

    def answer(*args, **kwargs):
        from ascendify_startup import torch_pretend

        sequences, lengths = torch_pretend.call(function, args, kwargs)
        unmark(lengths)
        return sequences, lengths

    return answer


def _attention(query, key, value, *args, **kwargs):
    """Compute attention with the CPU's kernel, whichever backend was chosen for the GPU."""
    import torch

    from ascendify_startup import torch_pretend

    cuda = torch.backends.cuda
    attend = torch.nn.functional.scaled_dot_product_attention
    if cuda.math_sdp_enabled():
        return torch_pretend.call(attend, (query, key, value, *args), kwargs)
    cuda.enable_math_sdp(True)
    try:
        return torch_pretend.call(attend, (query, key, value, *args), kwargs)
    finally:
        cuda.enable_math_sdp(False)


class _PlanCache(object):
    """The plan cache of one GPU for Fourier transforms, always empty."""

    def __init__(self):
        self.max_size = _LARGEST_PLAN_CACHE
        self.size = 0

    def clear(self):
        """Do nothing: the cache is empty."""


class _PlanCaches(object):
    """``torch.backends.cuda.cufft_plan_cache``, of the current GPU or of a given one."""

    def __init__(self):
        self.__dict__["_of"] = {}

    def __getitem__(self, device):
        index = gpu_of(device)
        return self._of.setdefault(current() if index is None else index, _PlanCache())

    def __getattr__(self, name):
        return getattr(self[current()], name)

    def __setattr__(self, name, value):
        setattr(self[current()], name, value)


def _plan_cache(torch):
    torch.backends.cuda.cufft_plan_cache = _PlanCaches()
