"""Python packages that need CUDA or NVIDIA's driver, imported by TensorFlow programs."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, library_imports

RULE = library_imports.rule_for(
    "TF1-GPU-8", "Replace packages that need CUDA", "tensorflow", before="import pynvml"
)

_NCCL = (
    "tf.contrib.nccl",
    "tf.contrib.nccl.python.ops.nccl_ops",
    "tf.python.ops.nccl_ops",
)
_COLLECTIVES = ("all_sum", "all_prod", "all_min", "all_max", "reduce_sum", "broadcast")


@RULE.call(*(f"{root}.{name}" for root in _NCCL for name in _COLLECTIVES))
def report_collective(site: CallSite) -> Diagnoses:
    """Report NCCL operators, which combine tensors of the GPUs of one process."""
    yield RULE.manual(
        site,
        f"{site.callee} runs in NCCL, which joins the GPUs of one process",
        todo=(
            "A process has one NPU, so there is nothing to join in it: skip the call. Between "
            "processes npu_distributed_optimizer_wrapper() averages gradients, and "
            'hccl_ops.allreduce(x, "sum") of npu_bridge.hccl adds up anything else.'
        ),
    )
