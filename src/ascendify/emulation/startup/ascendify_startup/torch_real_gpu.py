"""Run an original PyTorch project on a real GPU deterministically, with the CPU's random numbers.

The migrated project computes on the CPU. This module makes both runs equal in the order of the data
(seeds), the precision (no TF32, which environment variables of the runner switch off), and the
random numbers (:mod:`ascendify_startup.torch_gpu_random`). Only rounding differs.
"""

import warnings

from ascendify_startup import import_hooks


def begin(recorder):
    """Set up the GPU as soon as torch is imported, and record its name."""
    import_hooks.after("torch", lambda: _patch(recorder))


def _patch(recorder):
    import torch
    from torch.optim import optimizer

    from ascendify_startup import torch_gpu_random

    _repeat(torch)
    drawn = torch_gpu_random.begin(recorder)
    noted = []

    def before_step(stepped, args, kwargs):
        if not noted and torch.cuda.is_initialized():
            noted.append(True)
            recorder.write({"source": "gpu", "name": torch.cuda.get_device_name()})
        drawn.look()

    optimizer.register_optimizer_step_pre_hook(before_step)


def _repeat(torch):
    """Choose deterministic kernels, where they exist."""
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    if hasattr(torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction"):
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.use_deterministic_algorithms(True, warn_only=True)
    if hasattr(torch.utils, "deterministic"):
        # uninitialised memory is not filled, as in a normal run
        torch.utils.deterministic.fill_uninitialized_memory = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation")
