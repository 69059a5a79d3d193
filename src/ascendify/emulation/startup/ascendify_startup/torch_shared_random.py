"""Seeds of the NPU that take effect at once, where it draws from the CPU's stream.

The NPU puts a seed off until its first use. With one stream for both, that would seed the CPU once
more, in the middle of what it draws.
"""

from ascendify_startup import imports


def begin():
    """Seed at once, from the moment that torch_npu is imported."""
    imports.after("torch_npu", _patch)


def _patch():
    import torch
    import torch_npu.npu

    generator = torch.default_generator

    def manual_seed(seed):
        generator.manual_seed(int(seed))

    def manual_seed_all(seed):
        generator.manual_seed(int(seed))

    def set_rng_state(new_state, device="npu"):
        generator.set_state(new_state)

    for function in (manual_seed, manual_seed_all, set_rng_state):
        for module in (torch_npu.npu, torch_npu.npu.random):
            setattr(module, function.__name__, function)
