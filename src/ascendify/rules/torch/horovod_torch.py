"""Replace Horovod for PyTorch by torch.distributed, in the whole project or not at all."""

from __future__ import annotations

from ascendify.catalog import replacements
from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _hvd

RULE = Rule(
    code="TORCH-HVD-1",
    title="Replace Horovod by torch.distributed",
    why=(
        "Horovod has no NPU build for PyTorch. torch.distributed does the same over HCCL: "
        "DistributedDataParallel averages gradients while they are computed and starts all ranks "
        "with the same weights. Ranks of a project that was rewritten in part would wait for each "
        "other, so either all files are rewritten, or the report says what to do in each place."
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
    """Replace every use of the file, where every use of the project can be replaced."""
    if "horovod" not in file.module.source.text:
        return
    plan = _hvd.plan(file)
    if not plan.uses and not plan.edits:
        return
    if not _hvd.is_whole_project_planned(file):
        yield from _report_uses(plan)
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
            "Start it with torchrun --nproc_per_node=<NPUs> instead of horovodrun -np, and check "
            "that torch.npu.set_device is called before the first tensor goes to the NPU."
        ),
        fix=fix,
    )


def _report_uses(plan: _hvd.HorovodPlan) -> Diagnoses:
    """Report every use with what replaces it."""
    reasons = {id(site.node): reason for site, reason in plan.missing}
    for site in plan.uses:
        last = site.name[len(_hvd.HVD) + 1 :].partition(".")[0]
        reason = reasons.get(id(site.node))
        why = f"; not rewritten because {reason}" if reason else ""
        yield RULE.manual(
            site,
            f"{site.text} is Horovod's, which has no NPU build{why}",
            todo=replacements.texts("horovod").get(
                last, "Remove it: torch.distributed has no equivalent."
            ),
        )
    for site, reason in plan.missing:
        if site.name == _hvd.HVD:
            yield RULE.manual(
                site,
                f"{site.brief} imports Horovod, which has no NPU build ({reason})",
                todo="Replace the uses of it, then remove the import.",
            )
