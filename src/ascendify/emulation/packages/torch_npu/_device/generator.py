"""Random generators of the npu: cpu generators that report the npu as their device.

On the fast path their device is the npu except while an operator draws from them, so that passing
one to a cpu operator raises an error, as with a generator of any accelerator.
"""

import contextlib
import os
import weakref

import torch

from torch_npu._device import devices, path

_CpuGenerator = torch._C.Generator
SHARED = os.environ.get("ASCENDIFY_SHARED_RANDOM") == "1"
"""Whether the npu uses the cpu's generator, so that random numbers equal those of a cpu run."""


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
        """Return a generator of the npu."""
        generator = _CpuGenerator("cpu")
        _belongs_to(generator, npu=True)
        return generator

else:

    class _NpuGenerator(_CpuGenerator):
        """A generator that reports the npu as its device; operators of the cpu accept it, too."""

        device = property(lambda self: torch.device("npu", devices.state.index))

    _known = {}
    """Addresses of the C++ objects: operators do not get the Python object."""

    def _is_npu(generator):
        return generator._cdata in _known

    def _belongs_to(generator, npu):
        pass

    def new_generator():
        """Return a generator of the npu."""
        generator = _NpuGenerator("cpu")
        address = generator._cdata
        _known[address] = weakref.ref(generator, lambda _: _known.pop(address, None))
        return generator


default = torch.default_generator if SHARED else new_generator()
"""The generator for operators without a generator argument."""
if not SHARED:
    default.manual_seed(torch.initial_seed())


def lend(generator):
    """Return the generator for a cpu kernel, until `give_back`."""
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
    """Return a lent generator to the npu."""
    if generator is not torch.default_generator:
        _belongs_to(generator, npu=True)


@contextlib.contextmanager
def drawing():
    """Context in which the cpu's default generator has the state of the npu's."""
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
    """Return the state of a generator, as a tensor on the cpu."""
    return generator.get_state()


def set_state_of(generator, state):
    """Set the state of a generator."""
    generator.set_state(state)


class _Kind(type(_CpuGenerator)):
    """Metaclass that makes every generator an instance of `torch.Generator`."""

    def __instancecheck__(cls, other):
        return isinstance(other, _CpuGenerator)


class Generator(_CpuGenerator, metaclass=_Kind):
    """`torch.Generator`, extended for the npu."""

    def __new__(cls, device="cpu"):
        device = torch.device(device)
        if device.type != "npu":
            return _CpuGenerator(device)
        devices.own_device(device)
        return new_generator()


def install():
    """Make `torch.Generator(device="npu")` return a generator of the npu."""
    torch.Generator = Generator
