"""Functions of Horovod that an NPU lacks: report what to do instead."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.horovod.no_counterpart import SHARED_NOTES, Note, report_as
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.tf2._graphs import outside_graphs

RULE = Rule(
    code="TF2-HVD-9",
    title="Do without what only Horovod has",
    why="Horovod does not run on an NPU, and these of its functions have no counterpart there.",
    statuses=(Status.BLOCKER, Status.MANUAL, Status.AUTO_CHECK),
    before="layer = hvd.SyncBatchNormalization()",
)

_SIZE = "int(os.getenv('RANK_SIZE', '1'))"
_HOURS = Effort.HOURS
_GATHER = "npu_device.distribute sends tensors only: gather numbers with hccl_ops.allgather()."
_NOTES = {
    **SHARED_NOTES,
    "MetricAverageCallback": Note(
        "Take it out of the callbacks: every rank then reports its own metrics, so print and save "
        "on rank 0 only (int(os.getenv('RANK_ID', '0')) == 0). Where an average matters, call "
        "npu_device.distribute.all_reduce(tf.constant(value), 'mean') on all ranks after fit()."
    ),
    "LearningRateWarmupCallback": Note(
        "Use tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: {lr} * (1 + epoch * "
        f"({_SIZE} - 1) / {{epochs}}) / {_SIZE} if epoch <= {{epochs}} else rate), where {{lr}} "
        "is the rate of all devices together."
    ),
    "load_model": Note(
        "Use tf.keras.models.load_model() and wrap its optimizer: model.optimizer = npu_device."
        "distribute.npu_distributed_keras_optimizer_wrapper(model.optimizer)."
    ),
    "SyncBatchNormalization": Note(
        "Use tf.keras.layers.BatchNormalization, whose statistics are those of one device, with a "
        "batch large enough for it.",
        _HOURS,
    ),
    "PartialDistributedGradientTape": Note(
        "Reduce the gradients that all ranks share with npu_device.distribute.all_reduce().", _HOURS
    ),
    "alltoall": Note("Gather with hccl_ops.allgather() and take this rank's part.", _HOURS),
    "reducescatter": Note(
        "Reduce with npu_device.distribute.all_reduce() and take this rank's part."
    ),
    "is_initialized": Note("Use npu_device.npu_device.global_npu_ctx() is not None."),
    "broadcast_object": Note(
        "npu_device.distribute sends tensors only: let every rank compute or read the object.",
        _HOURS,
    ),
    "allgather_object": Note(_GATHER, _HOURS),
    "rank_op": Note("Use int(os.getenv('RANK_ID', '0'))."),
    "size_op": Note(f"Use {_SIZE}."),
    "cross_rank": Note("Use the number of this server in the rank table."),
    "cross_size": Note("Use the number of servers in the rank table."),
    "start_timeline": Note("Remove it; npu_device has profiling options of its own."),
    "stop_timeline": Note("Remove it; npu_device has profiling options of its own."),
    "is_homogeneous": Note("Remove the question; the answer is yes."),
}


@RULE.reference("horovod.*")
@outside_graphs
def report(site: Site) -> Diagnoses:
    """Report what no other rule rewrites, if it is still there after they have done their work."""
    graphs = (f"{_horovod.TF}.broadcast_global_variables", _horovod.HOOK)
    if site.name not in graphs:
        yield from report_as(RULE, site, _NOTES, _horovod.CALLED_EAGERLY)
