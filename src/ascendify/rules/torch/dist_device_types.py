"""Name the NPU where torch.distributed takes a device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _edits

RULE = Rule(
    code="TORCH-DIST-4",
    title="Use NPUs in device meshes and wrapped models",
    why=(
        "A device mesh of type 'cuda' and a model that is wrapped for 'cuda:0' find no device on a "
        "machine with NPUs."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="mesh = init_device_mesh('cuda', (8,))",
    after="mesh = init_device_mesh('npu', (8,))",
)

_MESH = "torch.distributed.device_mesh"
_FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"
_PARAMETERS = {
    f"{_MESH}.init_device_mesh": ("device_type",),
    f"{_MESH}.DeviceMesh": ("device_type",),
    "torch.nn.parallel.DistributedDataParallel": ("device_ids", "output_device"),
    _FSDP: ("device_id",),
    "torch.distributed.init_process_group": ("device_id",),
}
"""Functions that take a device, and the names of the parameters."""


@RULE.call(*_PARAMETERS)
def name_npu(site: CallSite) -> Diagnoses:
    """Replace device literals; numbers and variables stay as they are."""
    file = site.file
    if file.facts.style == "transfer":
        return
    for parameter in _PARAMETERS[site.name]:
        given = site.args.value(parameter)
        if given is None:
            continue
        items = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
        fix = site.fix()
        if _edits.name_npu(fix, *items):
            yield RULE.auto(
                site,
                f"{parameter} of {site.callee} is a GPU",
                done=f"Replaced 'cuda' by 'npu' in {file.brief(given)}.",
                fix=fix,
            )


@RULE.call(_FSDP)
def without_device(site: CallSite) -> Diagnoses:
    """Note a sharded model that gets no device."""
    if "device_id" in site.args or site.args.starred:
        return
    yield RULE.info(
        site,
        f"{site.callee} gets no device",
        todo=(
            "Pass device_id=torch.device('npu', torch.npu.current_device()), so that the shards go "
            "to the NPU of the process."
        ),
    )
