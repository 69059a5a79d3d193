"""Report names of torch_npu that the chosen release does not have."""

from __future__ import annotations

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.rules.torch import _cuda, _release, _release_check

RULE = Rule(
    code="TORCH-REL-1",
    title="Use names that the chosen release of torch_npu has",
    why=(
        "A release of torch_npu is built for one PyTorch and belongs to one software stack of the "
        "vendor. Stacks add names and arguments, and some are removed for a newer PyTorch; using "
        "one that the installed release lacks raises AttributeError or TypeError. The release is "
        "chosen with --torch-npu, or is the newest for the PyTorch that the project requires."
    ),
    statuses=(Status.MANUAL,),
    raises=True,
    before="context = torch.npu.MemPoolContext(pool)  # no longer in torch_npu 2.13",
)


@RULE.reference("torch.npu.*", "torch_npu.*")
def report_name(site: Site) -> Diagnoses:
    """Report names of torch_npu in the program."""
    yield from _report(site, site.name)


@RULE.reference(f"{_cuda.CUDA}.*")
def report_imported_name(site: Site) -> Diagnoses:
    """Report names of torch.cuda that an import or transfer_to_npu replaces by torch.npu.

    Where the name itself is rewritten, the check of that fix reports it.
    """
    target = torch_npu.counterpart(site.name)
    if target is None or _cuda.is_elsewhere(site.name):
        return
    if site.file.facts.style == "transfer" or not _cuda.is_linked(site.file, site.node):
        yield from _report(site, target)


def _report(site: Site, name: str) -> Diagnoses:
    release = _release.of(site.file.facts)
    reason = _release_check.missing(name, release, _release_check.called_at(site))
    if reason:
        yield RULE.manual(
            site,
            f"{site.brief} does not exist in the chosen release of torch_npu",
            todo=f"{reason} Choose a release that has it with --torch-npu, or remove it.",
        )
