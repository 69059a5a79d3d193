"""``map_location`` by a table: files written on a GPU and on an NPU both find their way."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._places import place_of

RULE = Rule(
    code="TORCH-CKPT-1",
    title="Load what was saved on a GPU and what is saved on an NPU",
    why=(
        "The keys of such a table are the devices a file was written on. A file from a GPU says "
        "'cuda:0' for ever, one the migrated program writes says 'npu:0'. With a key for only one "
        "of them the other file loads onto the wrong device, or not at all."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="torch.load(path, map_location={'cuda:0': place})",
    after="torch.load(path, map_location={'cuda:0': place, 'npu:0': place})",
)


@RULE.file
def both(file: File) -> Diagnoses:
    """Every key that may name a GPU in a table that PyTorch maps locations with."""
    for item in _designators.all_of(file):
        table = place_of(item.whole).group
        if isinstance(table, ast.Dict) and _is_location_map(file, table):
            yield from _entry(file, item, table)


def _is_location_map(file: File, table: ast.Dict) -> bool:
    flow = _device_uses.of_value(file, table)
    return any("load" in place for place in flow.device)


def _entry(file: File, item: Designator, table: ast.Dict) -> Diagnoses:
    number = next(i for i, key in enumerate(table.keys) if key is item.whole)
    value = table.values[number]
    key = file.brief(item.whole)
    found = f"{key} is the device a file was written on"
    if file.facts.style == "transfer":
        yield RULE.manual(
            file.at(item.whole),
            found,
            todo=(
                "transfer_to_npu translates the keys too, so a file written on a GPU is not "
                "matched. Load with map_location='cpu' and let load_state_dict move the tensors."
            ),
        )
        return
    if any(_says_npu(other) for other in table.keys):
        return
    if _designators.renamed(key) == file.brief(value):
        # what an NPU wrote goes there without an entry
        return
    inner = [node for node in _designators.all_of(file) if node.whole is value]
    if not inner and not isinstance(value, (ast.Constant, ast.Name)):
        yield RULE.info(
            file.at(item.whole),
            found,
            todo=f"For files the migrated program writes, add {_designators.renamed(key)} with the "
            "same value.",
        )
        return
    fix = file.fix()
    new_value = _renamed(file, value, inner)
    new_key = _designators.renamed(file.text(item.whole))
    end = file.module.end(value)
    fix.replace_range(end, end, f", {new_key}: {new_value}")
    yield RULE.auto(
        file.at(item.whole),
        found,
        done=f"Kept it for files written on a GPU, and added {new_key}: {new_value} for those "
        "written on an NPU.",
        fix=fix,
    )


def _renamed(file: File, value: ast.expr, inner: list[Designator]) -> str:
    text = file.text(value)
    return _designators.renamed(text) if inner else text


def _says_npu(key: ast.expr | None) -> bool:
    """Whether a key names an NPU, however it is put together."""
    if isinstance(key, ast.BinOp):
        key = key.left
    elif isinstance(key, ast.JoinedStr) and key.values:
        key = key.values[0]
    elif isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute):
        key = key.func.value
    return isinstance(key, ast.Constant) and str(key.value).startswith(_designators.NPU)
