"""Rename GPUs in strings that PyTorch uses as devices."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._device_flow import DeviceUses
from ascendify.rules.torch._places import place_of
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TORCH-DEV-1",
    title="Name NPUs where a string names a GPU",
    why=(
        "PyTorch accepts devices by name, and an NPU machine has no device 'cuda'. The same string "
        "may also be a folder, a key or a word of the program, so its value is followed to the "
        "places that use it, and only devices are renamed."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="device = torch.device('cuda:0' if use_gpu else 'cpu')\nmodel.to(device)",
    after="device = torch.device('npu:0' if use_gpu else 'cpu')\nmodel.to(device)",
    safety=(
        "Where only names such as device= suggest a device, or where some uses could not be "
        "followed, the finding says so: check the place."
    ),
)

_CHOICES = (ast.IfExp, ast.BoolOp)
_NEVER = frozenset({"torchvision.io.decode_jpeg", "torchvision.io.decode_jpegs"})
"""Functions that never work on an NPU, which another rule reports."""
_OWN_RULES = frozenset(
    [
        "torch.autocast", "torch.amp.GradScaler", "torch.amp.custom_fwd", "torch.amp.custom_bwd",
        "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler",
        "torch.amp.is_autocast_available", "torch.is_autocast_enabled",
        "torch.set_autocast_enabled", "torch.get_autocast_dtype", "torch.set_autocast_dtype",
        "torch.distributed.device_mesh.init_device_mesh",
        "torch.distributed.device_mesh.DeviceMesh",
        "torch.nn.parallel.DistributedDataParallel", "torch.distributed.init_process_group",
        "torch.distributed.fsdp.FullyShardedDataParallel",
    ]
)  # fmt: skip
"""Functions with rules of their own for literals in their calls."""


@RULE.file
def rename(file: File) -> Diagnoses:
    """Follow every string that may name a GPU."""
    if file.facts.style == "transfer":
        yield from _compared_devices(file)
        return
    for item in _designators.all_of(file):
        if place_of(item.whole).kind != "value" or _has_other_rule(file, item):
            continue
        if not _designators.lists_npu(parent(item.whole)):
            # in a list with an NPU it is one of the devices to choose from
            yield from _one(file, item)


def _compared_devices(file: File) -> Diagnoses:
    """Rename devices that are compared; transfer_to_npu changes only those of tensors."""
    for item in _designators.all_of(file):
        call = next(around for around in ancestors(item.whole) if not isinstance(around, _CHOICES))
        if not isinstance(call, ast.Call) or file.name(call.func) != "torch.device":
            continue
        flow = _device_uses.of_value(file, call)
        if isinstance(parent(call), ast.Compare) or not flow.compared:
            # TORCH-DEV-2 handles a device in the comparison itself
            continue
        fix = file.fix()
        _designators.rename(fix, item.literal)
        yield RULE.auto(
            file.at(item.whole),
            f"{file.brief(call)} is compared with devices of tensors, which are npu",
            done=f"Wrote {_designators.renamed(file.brief(item.whole))}.",
            fix=fix,
        )


def _has_other_rule(file: File, item: Designator) -> bool:
    for around in ancestors(item.whole):
        if isinstance(around, ast.Call):
            names, _ = file.names(around.func)
            return any(name in _NEVER or (item.is_plain and name in _OWN_RULES) for name in names)
        if not isinstance(around, (ast.keyword, ast.IfExp, ast.BoolOp, ast.List, ast.Tuple)):
            return False
    return False


def _one(file: File, item: Designator) -> Diagnoses:
    flow = _device_uses.of_value(file, item.whole)
    text = file.brief(item.whole)
    if flow.is_device:
        fix = file.fix()
        _designators.rename(fix, item.literal)
        sure = flow.device and not flow.unknown
        how = " and goes to" if flow.device else ", by"
        yield RULE.fixed(
            file.at(item.whole),
            f"{text} names a GPU{how} {flow.places()}",
            done=f"Wrote {_designators.renamed(text)}.",
            todo="" if sure else _doubt(flow),
            fix=fix,
        )
    elif flow.unknown or flow.compared or not flow.shown:
        yield _unknown(file, item, flow)
    elif isinstance(statement(item.whole), (ast.Assign, ast.AnnAssign)):
        shown = f"{text} is only printed or tested, not used as a device"
        yield RULE.info(file.at(item.whole), shown)


def _doubt(flow: DeviceUses) -> str:
    if flow.device:
        return (
            f"Its value also reaches {', '.join(flow.unknown[:3])}, where it could not be "
            "followed. Check that it is a device there too."
        )
    return f"Check that it is a device: only {', '.join(flow.likely[:3])} suggests it."


def _unknown(file: File, item: Designator, flow: DeviceUses) -> Diagnosis:
    text = file.brief(item.whole)
    if flow.compared and not flow.unknown:
        return RULE.info(
            file.at(item.whole),
            f"{text} is only compared with other strings of the program: {flow.places()}",
        )
    return RULE.manual(
        file.at(item.whole),
        f"{text} may name a GPU; its value reaches {flow.places()}"
        if flow.unknown
        else f"{text} may name a GPU; no use of it was found",
        todo=f"If it names a device, write {_designators.renamed(text)}.",
    ).as_possible()
