"""The parts of DataParallel: replicate, scatter, gather, parallel_apply."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status

RULE = Rule(
    code="TORCH-DIST-6",
    title="Do without several devices in one process",
    why=(
        "The functions that copy a model to several devices of one process and split batches among "
        "them end in CUDA functions; a torch for the CPU, which serves NPUs, does not have these."
    ),
    statuses=(Status.MANUAL,),
    before="replicas = torch.nn.parallel.replicate(model, devices)",
)

_TODO = {
    "replicate": "give each process its copy of the model by DistributedDataParallel",
    "parallel_apply": "call the model of this process: its own batch is all it sees",
    "scatter": "let a DistributedSampler give each process its share of the data",
    "gather": "collect results with torch.distributed.all_gather",
    "data_parallel": "wrap the model in DistributedDataParallel once and call it",
    "scatter_kwargs": "let a DistributedSampler give each process its share of the data",
}
_HOMES = ("torch.nn.parallel", "torch.nn.parallel.scatter_gather")


@RULE.reference(*(f"{home}.{name}" for home in _HOMES for name in _TODO))
def tell(site: Site) -> Diagnoses:
    """Say what takes its place when every process has one NPU."""
    last = site.name.rpartition(".")[2]
    yield RULE.manual(
        site,
        f"{site.text} works on several devices of one process, which NPUs do not offer",
        todo=f"Start one process per NPU (torchrun) and {_TODO[last]}.",
        effort=Effort.HOURS,
    )
