"""An original in PyTorch on a real GPU, made to repeat itself and to draw the CPU's random numbers.

The migrated project computes on the CPU. What the two should share is decided here: the order of
the data (seeds), the precision (no TF32, which environment variables of the runner switch off), and
the random numbers (:mod:`ascendify_startup.torch_gpu_random`). What is left is rounding.
"""

import warnings

from ascendify_startup import import_hooks


def begin(recorder):
    """Set up the GPU from the moment torch is imported, and record which one it is."""
    import_hooks.after("torch", lambda: _patch(recorder))


def _patch(recorder):
    import torch
    from torch.optim import optimizer

    from ascendify_startup import torch_gpu_random

    _repeat(torch)
    drawn = torch_gpu_random.begin(recorder)
    told = []

    def before_step(stepped, args, kwargs):
        if not told and torch.cuda.is_initialized():
            told.append(True)
            recorder.write({"source": "gpu", "name": torch.cuda.get_device_name()})
        drawn.look()

    optimizer.register_optimizer_step_pre_hook(before_step)


def _repeat(torch):
    """Choose kernels that give the same bits in every run, where there are such."""
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    if hasattr(torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction"):
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.use_deterministic_algorithms(True, warn_only=True)
    if hasattr(torch.utils, "deterministic"):
        # memory that nobody has written yet stays as it is, as in a usual run
        torch.utils.deterministic.fill_uninitialized_memory = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation")
