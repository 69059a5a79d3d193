"""Report the building blocks of DataParallel: replicate, scatter, gather, parallel_apply."""

from __future__ import annotations

from ascendify.catalog import replacements
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status

RULE = Rule(
    code="TORCH-DIST-6",
    title="Use one device in each process",
    why=(
        "The functions that copy a model to several devices of one process and split batches among "
        "them call CUDA functions, which the CPU build of torch that is used with NPUs lacks."
    ),
    statuses=(Status.MANUAL,),
    raises=True,
    before="replicas = torch.nn.parallel.replicate(model, devices)",
)

_TODO = replacements.texts("data-parallel")
_HOMES = ("torch.nn.parallel", "torch.nn.parallel.scatter_gather")


@RULE.reference(*(f"{home}.{name}" for home in _HOMES for name in _TODO))
def report_function(site: Site) -> Diagnoses:
    """Report the function with what to do when every process has one NPU."""
    last = site.name.rpartition(".")[2]
    yield RULE.manual(
        site,
        f"{site.text} uses several devices in one process, which does not work with NPUs",
        todo=f"Start one process per NPU (torchrun) and {_TODO[last]}.",
        effort=Effort.HOURS,
    )
