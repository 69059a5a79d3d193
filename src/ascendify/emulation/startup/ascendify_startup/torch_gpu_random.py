"""Draw random numbers for tensors on a real GPU on the CPU, and copy them.

A GPU has its own generator, whose numbers a CPU cannot reproduce: dropout would drop other elements
than in the migrated project. So the random kernels of GPUs are replaced by kernels that use the
operator's CPU kernel and the CPU's generator, in the order of the program.

Kernels that draw while they compute something else (recurrent networks of cuDNN, fused attention)
cannot be replaced in this way. They are avoided if PyTorch can compute the same without them. If a
GPU has drawn random numbers nevertheless, that is recorded: the two runs are then only similar.
"""

import sys
import warnings

IN_PLACE = (
    "uniform_",
    "normal_",
    "bernoulli_.float",
    "bernoulli_.Tensor",
    "random_",
    "random_.from",
    "random_.to",
    "exponential_",
    "cauchy_",
    "log_normal_",
    "geometric_",
)
"""Operators that fill their first argument."""
RETURNING = (
    "native_dropout",
    "bernoulli",
    "multinomial",
    "normal.Tensor_float",
    "normal.float_Tensor",
    "normal.Tensor_Tensor",
    "poisson",
    "binomial",
    "_standard_gamma",
    "_sample_dirichlet",
)
"""Operators that return the numbers they draw."""
INTO_OUT = {
    "bernoulli.out": "bernoulli",
    "multinomial.out": "multinomial",
    "normal.Tensor_float_out": "normal.Tensor_float",
    "normal.float_Tensor_out": "normal.float_Tensor",
    "normal.Tensor_Tensor_out": "normal.Tensor_Tensor",
    "randperm.generator_out": "randperm.generator",
}
"""Operators that draw into their argument ``out``, each with the operator that returns."""
NOISY = ("rrelu_with_noise", "rrelu_with_noise_")
"""Operators that draw into their second argument and return a result."""

_KEPT = []
"""Registrations, which are removed when they are garbage-collected."""


def begin(recorder):
    """Replace the random kernels; return the object that detects if a GPU draws nevertheless."""
    import torch

    drawn = _Drawn(torch, recorder)
    register(torch, "CUDA")
    _share_the_stream(torch, drawn)
    torch.Generator = _generator(torch)
    _without_fused_kernels(torch)
    return drawn


def register(torch, key):
    """Register the replacements for one dispatch key; return the names of their operators."""
    library = torch.library.Library("aten", "IMPL")
    _KEPT.append(library)
    with warnings.catch_warnings():
        # torch warns that kernels are replaced, which is intended
        warnings.simplefilter("ignore")
        registered = []
        for name, kernel in kernels(torch):
            library.impl(name, kernel, key)
            registered.append(name)
    return registered


def kernels(torch):
    """Yield the names of the operators that this PyTorch has, each with its replacement."""
    for name in IN_PLACE:
        yield name, _filling(torch, _operator(torch, name))
    for name in RETURNING:
        yield name, _returning(torch, _operator(torch, name))
    for name, functional in INTO_OUT.items():
        yield name, _into_out(torch, _operator(torch, functional))
    for name in NOISY:
        yield name, _noisy(torch, name.endswith("_"))


def _operator(torch, name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def _filling(torch, operator):
    def kernel(tensor, *args, **kwargs):
        drawn = _same_layout(torch, tensor)
        operator(drawn, *_on_cpu(torch, args), **_on_cpu_named(torch, kwargs))
        return tensor.copy_(drawn)

    return kernel


def _same_layout(torch, tensor):
    """Return CPU memory with the same strides: numbers are drawn in the order of the memory."""
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu")


def _returning(torch, operator):
    def kernel(*args, **kwargs):
        device = _device(torch, args)
        result = operator(*_on_cpu(torch, args), **_on_cpu_named(torch, kwargs))
        if isinstance(result, (tuple, list)):
            return tuple(one.to(device) for one in result)
        return result.to(device)

    return kernel


def _into_out(torch, operator):
    def kernel(*args, **kwargs):
        out = kwargs.pop("out")
        if operator is torch.ops.aten.randperm.generator:
            kwargs.update(dtype=out.dtype, device="cpu")
        result = operator(*_on_cpu(torch, args), **_on_cpu_named(torch, kwargs))
        return out.resize_(result.shape).copy_(result)

    return kernel


def _noisy(torch, in_place):
    def kernel(tensor, noise, *args, **kwargs):
        drawn = _same_layout(torch, noise)
        args, kwargs = _on_cpu(torch, args), _on_cpu_named(torch, kwargs)
        result = torch.ops.aten.rrelu_with_noise(tensor.cpu(), drawn, *args, **kwargs)
        noise.copy_(drawn)
        return tensor.copy_(result) if in_place else result.to(tensor.device)

    return kernel


def _device(torch, args):
    return next(one.device for one in args if isinstance(one, torch.Tensor))


def _on_cpu(torch, args):
    return [_one_on_cpu(torch, one) for one in args]


def _on_cpu_named(torch, kwargs):
    return {name: _one_on_cpu(torch, one) for name, one in kwargs.items()}


def _one_on_cpu(torch, value):
    if isinstance(value, torch.Tensor):
        return value.cpu()
    if isinstance(value, torch._C.Generator):
        # the GPU's default generator is replaced by the CPU's
        is_of_the_cpu = torch._C.Generator.device.__get__(value).type == "cpu"
        return value if is_of_the_cpu else None
    return value


def _generator(torch):
    """Return a generator class whose GPU generators are CPU generators with a GPU as device."""
    plain = torch._C.Generator

    class OfAnyDevice(type(plain)):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

    class Generator(plain, metaclass=OfAnyDevice):
        def __new__(cls, device="cpu"):
            made = plain.__new__(cls, "cpu")
            made._ascendify_device = torch.device(device)
            return made

        def __init__(self, device="cpu"):
            pass

        @property
        def device(self):
            return self._ascendify_device

    return Generator


def _share_the_stream(torch, drawn):
    """Make the functions for seeds and states of GPU generators use the CPU's generator."""

    def seeding(original):
        def manual_seed(seed):
            drawn.look()
            original(seed)
            torch.default_generator.manual_seed(int(seed))

        return manual_seed

    def get_rng_state(device="cuda"):
        return torch.get_rng_state()

    def set_rng_state(new_state, device="cuda"):
        torch.set_rng_state(new_state.cpu())

    def get_rng_state_all():
        return [torch.get_rng_state() for _ in range(torch.cuda.device_count())]

    def set_rng_state_all(new_states):
        for state in list(new_states)[:1]:
            set_rng_state(state)

    def seed():
        torch.seed()

    functions = {
        "manual_seed": seeding(torch.cuda.manual_seed),
        "manual_seed_all": seeding(torch.cuda.manual_seed_all),
        "seed": seed,
        "seed_all": seed,
        "initial_seed": torch.initial_seed,
        "get_rng_state": get_rng_state,
        "set_rng_state": set_rng_state,
        "get_rng_state_all": get_rng_state_all,
        "set_rng_state_all": set_rng_state_all,
    }
    for name, function in functions.items():
        setattr(torch.cuda, name, function)
        setattr(torch.cuda.random, name, function)


class _Drawn(object):
    """Detects whether a GPU has drawn random numbers itself: its generator counts them."""

    def __init__(self, torch, recorder):
        self._torch = torch
        self._recorder = recorder
        self._told = False

    def look(self):
        """Record once if numbers were drawn since the generator was last seeded."""
        if self._told or not self._torch.cuda.is_initialized():
            return
        if any(_offset(one.get_state()) for one in self._torch.cuda.default_generators):
            self._told = True
            self._recorder.write({"source": "gpu", "random": True})


def _offset(state):
    """Return the offset in a state of CUDA's generator: the eight bytes after those of the seed."""
    return int.from_bytes(bytes(state[8:16].tolist()), sys.byteorder)


def _without_fused_kernels(torch):
    """Replace fused kernels that draw by single operators, for which the CPU draws."""
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        setattr(torch._VF, name, _without_cudnn(torch, getattr(torch._VF, name)))
    functional = torch.nn.functional
    if hasattr(functional, "scaled_dot_product_attention"):
        functional.scaled_dot_product_attention = _plain_attention(
            torch, functional.scaled_dot_product_attention
        )


def _without_cudnn(torch, compute):
    def recurrent(*args):
        # the only argument of this type is the dropout probability
        drops = any(isinstance(one, float) and one > 0 for one in args)
        enabled = torch.backends.cudnn.enabled
        torch.backends.cudnn.enabled = enabled and not drops
        try:
            return compute(*args)
        finally:
            torch.backends.cudnn.enabled = enabled

    return recurrent


def _plain_attention(torch, compute):
    def scaled_dot_product_attention(
        query, key, value, attn_mask=None, dropout_p=0.0, *rest, **more
    ):
        if dropout_p > 0:
            with _only_plain(torch):
                return compute(query, key, value, attn_mask, dropout_p, *rest, **more)
        return compute(query, key, value, attn_mask, dropout_p, *rest, **more)

    return scaled_dot_product_attention


def _only_plain(torch):
    attention = getattr(torch.nn, "attention", None)
    if hasattr(attention, "sdpa_kernel"):
        return attention.sdpa_kernel(attention.SDPBackend.MATH)
    return torch.backends.cuda.sdp_kernel(
        enable_flash=False, enable_math=True, enable_mem_efficient=False
    )
