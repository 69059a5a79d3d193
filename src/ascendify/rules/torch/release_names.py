"""Names of torch_npu that the release a project is migrated for does not have."""

from __future__ import annotations

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.rules.torch import _cuda, _release, _release_check

RULE = Rule(
    code="TORCH-REL-1",
    title="Use names that the release of torch_npu has",
    why=(
        "A version of torch_npu is a pair: the PyTorch it is made for and the vendor's stack it "
        "belongs to. Names and arguments come with a stack, some go with a PyTorch, and using one "
        "that the installed release lacks raises AttributeError or TypeError. The release is the "
        "one --torch-npu names, else the newest for the PyTorch that the requirements ask for."
    ),
    statuses=(Status.MANUAL,),
    before="context = torch.npu.MemPoolContext(pool)  # no longer in torch_npu 2.13",
)


@RULE.reference("torch.npu.*", "torch_npu.*")
def tell(site: Site) -> Diagnoses:
    """Names of torch_npu that the program has already."""
    yield from _told(site, site.name)


@RULE.reference(f"{_cuda.CUDA}.*")
def tell_behind_import(site: Site) -> Diagnoses:
    """Names of torch.cuda that an import or the vendor's switch leads to torch.npu.

    Where the name itself is rewritten, the rule that does so tells.
    """
    target = torch_npu.counterpart(site.name)
    if target is None or _cuda.is_elsewhere(site.name):
        return
    if site.file.facts.style == "transfer" or not _cuda.is_linked(site.file, site.node):
        yield from _told(site, target)


def _told(site: Site, name: str) -> Diagnoses:
    release = _release.of(site.file.facts)
    reason = _release_check.missing(name, release, _release_check.called_at(site))
    if reason:
        yield RULE.manual(
            site,
            f"{site.brief} is not in the release of torch_npu to migrate for",
            todo=f"{reason} Install one that has it and name it by --torch-npu, or do without.",
        )
