"""Horovod for PyTorch: torch.distributed takes its place, in all of a project or nowhere."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Site, Status
from ascendify.rules.torch import _hvd

RULE = Rule(
    code="TORCH-HVD-1",
    title="Replace Horovod by torch.distributed",
    why=(
        "Horovod has no NPU build for PyTorch. torch.distributed does the same over HCCL: "
        "DistributedDataParallel averages gradients while they are computed and starts all ranks "
        "with the same weights. Half a change would leave ranks that wait for each other, so a "
        "project is rewritten as a whole or told what to do."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="hvd.init()\nprint(hvd.rank(), hvd.size())",
    after=(
        "torch.distributed.init_process_group('hccl')\n"
        "print(torch.distributed.get_rank(), torch.distributed.get_world_size())"
    ),
    safety=(
        "Ranks are started by torchrun instead of horovodrun. Gradients are averaged during the "
        "backward pass, in another order of additions; compression of gradients is left out."
    ),
)


@RULE.file
def convert(file: File) -> Diagnoses:
    """Everything at once, where every use in the project has an equal."""
    if "horovod" not in file.module.source.text:
        return
    plan = _hvd.plan(file)
    if not plan.uses and not plan.edits:
        return
    if not _hvd.whole_project(file):
        yield from _told(file, plan)
        return
    fix = file.fix()
    for edit in plan.edits:
        edit(fix)
    first = plan.uses[0].node if plan.uses else None
    yield RULE.auto_check(
        file.at(first),
        f"the file trains with Horovod in {len(plan.uses)} places",
        done="Replaced all of them by torch.distributed with HCCL, and removed the import.",
        todo=(
            "Start it with torchrun --nproc_per_node=<NPUs> in the place of horovodrun -np, and "
            "check that torch.npu.set_device stands before the first tensor goes to the NPU."
        ),
        fix=fix,
    )


_TODO = {
    "init": "torch.distributed.init_process_group('hccl'), after torch.npu.set_device(local_rank)",
    "rank": "torch.distributed.get_rank()",
    "size": "torch.distributed.get_world_size()",
    "local_rank": "int(os.environ['LOCAL_RANK'])",
    "local_size": "int(os.environ['LOCAL_WORLD_SIZE'])",
    "cross_rank": "int(os.environ['GROUP_RANK'])",
    "shutdown": "torch.distributed.destroy_process_group()",
    "is_initialized": "torch.distributed.is_initialized()",
    "DistributedOptimizer": (
        "the plain optimizer, and torch.nn.parallel.DistributedDataParallel(model, "
        "device_ids=[local_rank]) for the model; with backward_passes_per_step, all passes but "
        "the last run under model.no_sync()"
    ),
    "broadcast_parameters": "nothing: DistributedDataParallel sends the weights of rank 0",
    "broadcast_optimizer_state": (
        "torch.distributed.broadcast_object_list([optimizer.state_dict()]), or load the "
        "checkpoint on every rank"
    ),
    "broadcast_object": "torch.distributed.broadcast_object_list([obj], src=0)",
    "broadcast": "torch.distributed.broadcast(tensor, src), with the tensor on the NPU",
    "broadcast_": "torch.distributed.broadcast(tensor, src), with the tensor on the NPU",
    "allreduce": (
        "torch.distributed.all_reduce(tensor) with the tensor on the NPU, divided by "
        "get_world_size() for a mean"
    ),
    "allreduce_": "torch.distributed.all_reduce(tensor), divided by get_world_size() for a mean",
    "allgather": "torch.distributed.all_gather(tensors, tensor)",
    "allgather_object": "torch.distributed.all_gather_object(objects, obj)",
    "join": "with torch.distributed.algorithms.Join([model]) around the loop",
    "SyncBatchNorm": "torch.nn.SyncBatchNorm",
    "Average": "a sum divided by get_world_size()",
    "Sum": "torch.distributed.ReduceOp.SUM",
    "Adasum": "nothing: torch.distributed has no such sum; use the mean",
}


def _told(file: File, plan: _hvd.Plan) -> Diagnoses:
    """Every use by itself, with what takes its place."""
    reasons = {id(site.node): reason for site, reason in plan.missing}
    for site in plan.uses:
        yield _one(file, site, reasons.get(id(site.node), ""))
    for site, reason in plan.missing:
        if site.name == _hvd.HVD:
            yield RULE.manual(
                file.at(site.node),
                f"{file.brief(site.node)} brings in Horovod, which has no NPU build ({reason})",
                todo="Replace what is used of it, then remove the import.",
            )


def _one(file: File, site: Site, reason: str) -> Diagnosis:
    last = site.name[len(_hvd.HVD) + 1 :].partition(".")[0]
    instead = _TODO.get(last, "")
    why = f"; not rewritten because {reason}" if reason else ""
    return RULE.manual(
        file.at(site.node),
        f"{site.text} is Horovod's, which has no NPU build{why}",
        todo=f"Use {instead}."
        if instead
        else "Do without it: torch.distributed has no such thing.",
    )
