"""Random generators of the npu: generators of the cpu that say they belong to the npu.

On the fast path their device is rewritten in place while an operator draws from them, so that
handing one to a cpu operator raises, as it does with a generator of any accelerator.
"""

import contextlib
import os
import weakref

import torch

from torch_npu._device import devices, path

_CpuGenerator = torch._C.Generator
SHARED = os.environ.get("ASCENDIFY_SHARED_RANDOM") == "1"
"""Whether the npu draws from the cpu's stream, so that numbers are those of a run on the cpu."""


if path.is_fast:
    from torch_npu._device import layout

    _made = [_CpuGenerator("cpu") for _ in range(4)]
    _devices, _DEVICE = layout.device_of([(one._cdata, layout.CPU) for one in _made], "a generator")
    del _made

    def _is_npu(generator):
        return _devices[(generator._cdata >> 1) + _DEVICE] == layout.NPU

    def _belongs_to(generator, npu):
        _devices[(generator._cdata >> 1) + _DEVICE] = layout.NPU if npu else layout.CPU

    def new_generator():
        """A generator that belongs to the npu."""
        generator = _CpuGenerator("cpu")
        _belongs_to(generator, npu=True)
        return generator

else:

    class _NpuGenerator(_CpuGenerator):
        """A generator that says it belongs to the npu; operators of the cpu take it as well."""

        device = property(lambda self: torch.device("npu", devices.state.index))

    _known = {}
    """By the address of the C++ object: operators are not handed the Python object."""

    def _is_npu(generator):
        return generator._cdata in _known

    def _belongs_to(generator, npu):
        pass

    def new_generator():
        """A generator that belongs to the npu."""
        generator = _NpuGenerator("cpu")
        address = generator._cdata
        _known[address] = weakref.ref(generator, lambda _: _known.pop(address, None))
        return generator


default = torch.default_generator if SHARED else new_generator()
"""What an operator draws from when it is given no generator."""
if not SHARED:
    default.manual_seed(torch.initial_seed())


def lend(generator):
    """The generator as the cpu kernel takes it; `give_back` ends that."""
    if generator is None:
        generator = default
    if generator is torch.default_generator and SHARED:
        return generator
    if not _is_npu(generator):
        raise RuntimeError(
            f"Expected a 'npu' device type for generator but found '{generator.device.type}'"
        )
    _belongs_to(generator, npu=False)
    return generator


def give_back(generator):
    """Let a lent generator belong to the npu again."""
    if generator is not torch.default_generator:
        _belongs_to(generator, npu=True)


@contextlib.contextmanager
def drawing():
    """Let what draws from the cpu's default generator draw from the npu's."""
    if SHARED:
        yield
        return
    cpu = torch.default_generator
    kept = cpu.get_state()
    cpu.set_state(state_of(default))
    try:
        yield
    finally:
        set_state_of(default, cpu.get_state())
        cpu.set_state(kept)


def state_of(generator):
    """The state of a generator, as a tensor on the cpu."""
    return generator.get_state()


def set_state_of(generator, state):
    """Put a state back."""
    generator.set_state(state)


class _Kind(type(_CpuGenerator)):
    """Makes every generator an instance of `torch.Generator`, whichever class made it."""

    def __instancecheck__(cls, other):
        return isinstance(other, _CpuGenerator)


class Generator(_CpuGenerator, metaclass=_Kind):
    """`torch.Generator`, which also knows the npu."""

    def __new__(cls, device="cpu"):
        device = torch.device(device)
        if device.type != "npu":
            return _CpuGenerator(device)
        devices.own_device(device)
        return new_generator()


def install():
    """Let `torch.Generator(device="npu")` make a generator of the npu."""
    torch.Generator = Generator
