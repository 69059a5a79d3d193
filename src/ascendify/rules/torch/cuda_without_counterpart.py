"""Report names of torch.cuda without a counterpart on an NPU, with what to do instead."""

from __future__ import annotations

from ascendify.catalog import replacements, torch_npu
from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Site, Status
from ascendify.rules.torch import _cuda

RULE = Rule(
    code="TORCH-CUDA-4",
    title="Replace what only GPUs have",
    why=(
        "About a third of the names of torch.cuda belong to NVIDIA's libraries and drivers: NCCL, "
        "the CUDA runtime, NVML, kernel compilers. torch.npu does not have these names, so the "
        "call raises an error on an NPU."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    raises=True,
    before="torch.cuda.comm.broadcast(tensor, devices)",
)


@RULE.reference(f"{_cuda.CUDA}.*")
def report_use(site: Site) -> Diagnoses:
    """Report every use, however torch.cuda was imported."""
    found = replacements.find("cuda", site.name)
    if found is not None and has_none(site.name):
        yield RULE.finding(
            found.status,
            site,
            f"{site.brief} exists for GPUs only",
            todo=found.todo,
            effort=found.effort,
        )


@RULE.imports(f"{_cuda.CUDA}.*")
def note_import(site: ImportSite) -> Diagnoses:
    """Note the import, which works without a GPU; the uses of the name do not."""
    if has_none(site.name):
        yield RULE.info(
            site,
            f"{site.name} has no counterpart for an NPU; the import itself works",
            todo="Remove it together with its uses, which have their own findings.",
        )


def has_none(name: str) -> bool:
    """Whether a name below torch.cuda has no counterpart at all."""
    return (
        torch_npu.counterpart(name) is None
        and name != _cuda.RANGE
        and not _cuda.is_elsewhere(name)
        and not name.endswith(".*")
    )
