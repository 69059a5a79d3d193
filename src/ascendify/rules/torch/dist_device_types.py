"""Device meshes and wrapped models: what torch.distributed takes a device for is the NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _words

RULE = Rule(
    code="TORCH-DIST-4",
    title="Spread device meshes and wrapped models over NPUs",
    why=(
        "A device mesh of type 'cuda' and a model wrapped for 'cuda:0' have no device to go to "
        "where the accelerator is an NPU."
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
"""What takes a device, and the parameters it goes to."""


@RULE.call(*_PARAMETERS)
def name_npu(site: CallSite) -> Diagnoses:
    """Change the literals; numbers and variables mean what they mean."""
    file = site.file
    if file.facts.style == "transfer":
        return
    for parameter in _PARAMETERS[site.name]:
        given = site.args.value(parameter)
        if given is None:
            continue
        items = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
        literals = [item for value in items for item in _words.strings(value)]
        devices = [item for item in literals if _words.is_device(item.value)]
        fix = site.fix()
        if devices and all(_words.replace_word(fix, item, "cuda", "npu") for item in devices):
            yield RULE.auto(
                site,
                f"{parameter} of {site.callee} is a GPU",
                done=f"Replaced 'cuda' by 'npu' in {file.brief(given)}.",
                fix=fix,
            )


@RULE.call(_FSDP)
def without_device(site: CallSite) -> Diagnoses:
    """A sharded model is told where to go."""
    if "device_id" in site.args or site.args.starred:
        return
    yield RULE.info(
        site,
        f"{site.callee} is not told its device",
        todo=(
            "Pass device_id=torch.device('npu', torch.npu.current_device()), so that the shards "
            "surely go to the NPU of the process."
        ),
    )
