"""Add entries for NPUs to dictionaries that are passed as ``map_location``."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._places import place_of

RULE = Rule(
    code="TORCH-CKPT-1",
    title="Load checkpoints that were saved on a GPU or on an NPU",
    why=(
        "The keys of such a dictionary are the devices a file was written on. A file from a GPU "
        "contains 'cuda:0', one from the migrated program 'npu:0'. With a key for only one of them "
        "the other file is loaded to the wrong device, or not at all."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="torch.load(path, map_location={'cuda:0': place})",
    after="torch.load(path, map_location={'cuda:0': place, 'npu:0': place})",
)


@RULE.file
def add_npu(file: File) -> Diagnoses:
    """Look at every key that may name a GPU in a dictionary that maps locations."""
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
    found = f"{key} is the device that a file was written on"
    if file.facts.switched:
        yield RULE.manual(
            file.at(item.whole),
            found,
            todo=(
                "transfer_to_npu changes the keys too, so they do not match files from a GPU. Load "
                "with map_location='cpu' and let load_state_dict move the tensors."
            ),
        )
        return
    if any(_says_npu(other) for other in table.keys):
        return
    if _designators.renamed(key) == file.brief(value):
        # a file from an NPU is loaded there without an entry
        return
    inner = [node for node in _designators.all_of(file) if node.whole is value]
    if not inner and not isinstance(value, (ast.Constant, ast.Name)):
        yield RULE.info(
            file.at(item.whole),
            found,
            todo=f"For files of the migrated program, add {_designators.renamed(key)} with the "
            "same value.",
        )
        return
    fix = file.fix()
    new_value = _designators.renamed(file.text(value)) if inner else file.text(value)
    new_key = _designators.renamed(file.text(item.whole))
    end = file.module.end(value)
    fix.replace_range(end, end, f", {new_key}: {new_value}")
    yield RULE.auto(
        file.at(item.whole),
        found,
        done=f"Kept it for files from a GPU, and added {new_key}: {new_value} for files from an "
        "NPU.",
        fix=fix,
    )


def _says_npu(key: ast.expr | None) -> bool:
    """Whether a key names an NPU, as a literal or as the start of a formatted text."""
    if isinstance(key, ast.BinOp):
        key = key.left
    elif isinstance(key, ast.JoinedStr) and key.values:
        key = key.values[0]
    elif isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute):
        key = key.func.value
    return isinstance(key, ast.Constant) and str(key.value).startswith(_designators.NPU)
