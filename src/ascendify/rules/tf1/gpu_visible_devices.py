"""CUDA_VISIBLE_DEVICES in programs: choose the device of an NPU process by ASCEND_DEVICE_ID."""

from __future__ import annotations

import ast

from ascendify.catalog import advice, gpu_variables
from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Site, Status, removal
from ascendify.rules.kit.environment import REFERENCES, VariableUse, use_at
from ascendify.rules.kit.visible_devices import is_no_device, is_one_device
from ascendify.rules.tf1 import _npu
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-GPU-3",
    title="Choose the device by ASCEND_DEVICE_ID",
    why=(
        "CUDA_VISIBLE_DEVICES means nothing to an NPU: every process would take device 0. One "
        "process drives one device, which ASCEND_DEVICE_ID names."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="os.environ['CUDA_VISIBLE_DEVICES'] = '2'",
    after="os.environ['ASCEND_DEVICE_ID'] = '2'",
    safety=(
        "In distributed training the line is removed: the launcher gives every process its own "
        "device."
    ),
    framework="tensorflow",
)

DEVICE = gpu_variables.visible_devices("tensorflow")
_ONE_EACH = advice.text("one-process-per-device")


@RULE.reference(*REFERENCES)
def replace_use(site: Site) -> Diagnoses:
    """Every use of the variable through ``os``."""
    use = use_at(site)
    if use is None or use.variable != VISIBLE:
        return
    file = site.file
    if use.action == "read":
        yield _read(file, use)
    by_rank = use.value is not None and removal.depends_on_rank(file, use.value)
    # the rules of distributed training remove a choice by rank
    if use.action == "set" and use.value is not None and not by_rank:
        yield _set(file, use)


def _set(file: File, use: VariableUse) -> Diagnosis:
    value = use.value
    values = None if value is None else file.literal(value)
    texts = [str(item) for item in values] if values else []
    spelled = file.brief(use.statement)
    if texts and all(is_no_device(item) for item in texts):
        return RULE.info(
            file.at(use.statement),
            f"{spelled} keeps this program off GPUs; it does not keep it off an NPU",
        )
    if texts and all(is_one_device(item) for item in texts):
        return _one_device(file, use, spelled)
    if texts and any("," in item for item in texts):
        count = max(item.count(",") + 1 for item in texts)
        return RULE.manual(
            file.at(use.statement),
            f"{spelled} gives one process {count} GPUs",
            todo=f"Remove the line. {_ONE_EACH} RANK_SIZE is {count}.",
        )
    found = f"{spelled} chooses GPUs while the program runs"
    fix = _first_device(file, use, texts)
    if fix is not None:
        return RULE.auto_check(
            file.at(use.statement),
            found,
            done=f"Set {DEVICE} to the first of them, unless a launcher has set it.",
            todo=f"If there may be several: {_ONE_EACH}",
            fix=fix,
        )
    named = "" if value is None else file.brief(value)
    opened = (
        "npu_device.open()" if "tensorflow2" in file.frameworks else "the first session is made"
    )
    return RULE.manual(
        file.at(use.statement),
        found,
        todo=(
            f"If {named} is one device: os.environ['{DEVICE}'] = {named}, before {opened}. "
            f"If it may be several: remove the line. {_ONE_EACH}"
        ),
    )


def _first_device(file: File, use: VariableUse, texts: list[str]) -> Fix | None:
    """Set the variable to the first device of a list that the program is given.

    ``os.environ`` takes nothing but strings, so the value is one. A program that chooses no
    device for some runs is left to a person.
    """
    statement, value = use.statement, use.value
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or value is None:
        return None
    target = statement.targets[0]
    written = (item.value for item in ast.walk(value) if isinstance(item, ast.Constant))
    if any(isinstance(item, str) and is_no_device(item) for item in (*written, *texts)):
        return None
    if not isinstance(target, ast.Subscript) or not isinstance(use.key, ast.Constant):
        return None
    fix = file.fix()
    spelled = fix.operand(value)
    key = file.quoted(DEVICE, use.key)
    separator = file.quoted(",", use.key)
    environ = file.text(target.value)
    fix.replace(statement, f"{environ}.setdefault({key}, {spelled}.split({separator})[0])")
    return fix


def _one_device(file: File, use: VariableUse, spelled: str) -> Diagnosis:
    fix = file.fix()
    if file.facts.distributed != "none" and use.is_whole_statement:
        removal.remove(file, fix, use.statement, lambda item: item is use.statement)
        return RULE.auto_check(
            file.at(use.statement),
            f"{spelled} would put every process on one device",
            done="Removed it.",
            todo=f"Let the launcher set {DEVICE} for every process.",
            fix=fix,
        )
    place, found = file.at(use.statement), f"{spelled} chooses a GPU"
    if not isinstance(use.key, ast.Constant):
        return RULE.manual(place, found, todo=f"Set {DEVICE} instead.")
    fix.replace(use.key, file.quoted(DEVICE, use.key))
    return RULE.auto(place, found, done=f"Replaced {VISIBLE} by {DEVICE}.", fix=fix)


def _read(file: File, use: VariableUse) -> Diagnosis:
    fails = isinstance(use.node, ast.Subscript)
    todo = f"Use os.environ.get('{DEVICE}', '0') for the device of this process"
    if isinstance(parent(use.node), ast.Attribute):
        todo = (
            f"A process has one device: use {_npu.RANK_SIZE} for the number of devices of the job"
        )
    return RULE.manual(
        file.at(use.node),
        f"{file.brief(use.node)} {'fails' if fails else 'finds nothing'} on an NPU, where the "
        "variable is not set",
        todo=f"{todo}, or remove the line.",
    )
