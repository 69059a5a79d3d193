"""Devices by name: a text that PyTorch takes for a GPU names an NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._device_flow import Uses
from ascendify.rules.torch._places import place_of
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TORCH-DEV-1",
    title="Name NPUs where a text names a GPU",
    why=(
        "PyTorch takes devices by name, and 'cuda' names a device that is not there. The same word "
        "may also be a folder, a key or a word of the program's own, so the value is followed to "
        "the places that take it, and only a device is renamed."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="device = torch.device('cuda:0' if use_gpu else 'cpu')\nmodel.to(device)",
    after="device = torch.device('npu:0' if use_gpu else 'cpu')\nmodel.to(device)",
    safety=(
        "Where only names such as device= tell what a text is for, or where some of its uses could "
        "not be followed, the finding says so and the place should be looked at."
    ),
)

_CHOICES = (ast.IfExp, ast.BoolOp)
_NEVER = frozenset({"torchvision.io.decode_jpeg", "torchvision.io.decode_jpegs"})
"""Functions that work on a GPU or on the host, never on an NPU; another rule speaks of them."""
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
"""Mixed precision and torch.distributed have rules for the literals written into their calls."""


@RULE.file
def rename(file: File) -> Diagnoses:
    """Follow every text that may name a GPU."""
    if file.facts.style == "transfer":
        yield from _compared_devices(file)
        return
    for item in _designators.all_of(file):
        if place_of(item.whole).kind != "value" or _is_spoken_for(file, item):
            continue
        if not _designators.lists_npu(parent(item.whole)):
            # beside an NPU it is one of the devices a program can choose from
            yield from _one(file, item)


def _compared_devices(file: File) -> Diagnoses:
    """``torch.device('cuda')`` that is compared: the switch makes tensors say npu, devices not."""
    for item in _designators.all_of(file):
        call = next(around for around in ancestors(item.whole) if not isinstance(around, _CHOICES))
        if not isinstance(call, ast.Call) or file.name(call.func) != "torch.device":
            continue
        flow = _device_uses.of_value(file, call)
        if isinstance(parent(call), ast.Compare) or not flow.compared:
            # written into a comparison it is another rule's
            continue
        fix = file.fix()
        _designators.rename(fix, item.literal)
        yield RULE.auto(
            file.at(item.whole),
            f"{file.brief(call)} is compared with devices of tensors, which say npu",
            done=f"Wrote {_designators.renamed(file.brief(item.whole))}.",
            fix=fix,
        )


def _is_spoken_for(file: File, item: Designator) -> bool:
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
        shown = f"{text} is kept and then only shown or tested, not used as a device"
        yield RULE.info(file.at(item.whole), shown)


def _doubt(flow: Uses) -> str:
    if flow.device:
        return (
            f"It also goes where it could not be followed: {', '.join(flow.unknown[:3])}. Check "
            "that a device is meant there too."
        )
    return f"Only {', '.join(flow.likely[:3])} tells that a device is meant. Check that it is."


def _unknown(file: File, item: Designator, flow: Uses) -> Diagnosis:
    text = file.brief(item.whole)
    if flow.compared and not flow.unknown:
        return RULE.info(
            file.at(item.whole),
            f"{text} is only compared with other texts of the program: {flow.places()}",
        )
    return RULE.manual(
        file.at(item.whole),
        f"{text} may name a GPU; it was seen to go to {flow.places()}"
        if flow.unknown
        else f"{text} may name a GPU; nothing was seen to use it",
        todo=f"If it names a device, write {_designators.renamed(text)}.",
    ).as_possible()
