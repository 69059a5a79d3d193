"""`torch.npu`: seeds and states of the npu's random generator."""

import torch

from torch_npu._device import generator as _generator
from torch_npu._device.devices import initialise, state, when_initialised
from torch_npu.npu.devices import _checked, device_count


def manual_seed(seed):
    """Seed the current device; before its first use, the seed is stored until then."""
    seed = int(seed)
    if _generator.SHARED:
        # the cpu's generator is used from the start: a deferred seed would reset it too late
        _generator.default.manual_seed(seed)
    elif not state.forked:
        when_initialised(lambda: _generator.default.manual_seed(seed))


def manual_seed_all(seed):
    """Seed every device."""
    manual_seed(seed)


def seed():
    """Seed the current device with a random number of the system; return it."""
    initialise()
    return _generator.default.seed()


def seed_all():
    """Seed every device with the same random number of the system."""
    seed()


def initial_seed():
    """The seed of the current device."""
    initialise()
    return _generator.default.initial_seed()


def get_rng_state(device="npu"):
    """The state of the generator of a device, as a ByteTensor on the cpu."""
    initialise()
    _checked(device)
    return _generator.default.get_state()


def set_rng_state(new_state, device="npu"):
    """Set the state of a generator; before the first use, it is stored until then."""
    kept = new_state.clone(memory_format=torch.contiguous_format)
    when_initialised(lambda: _generator.default.set_state(kept))


def get_rng_state_all():
    """The state of every device."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states):
    """Set the state of every device."""
    for index, one in enumerate(new_states):
        set_rng_state(one, index)
