"""CUDA_VISIBLE_DEVICES in programs: choose the device of an NPU process by ASCEND_DEVICE_ID."""

from __future__ import annotations

import ast

from ascendify.catalog import advice, gpu_variables
from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Site, Status, removal
from ascendify.rules.kit.environment import REFERENCES, Use, use_at
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


def _set(file: File, use: Use) -> Diagnosis:
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
    named = "" if value is None else file.brief(value)
    opened = (
        "npu_device.open()" if "tensorflow2" in file.frameworks else "the first session is made"
    )
    return RULE.manual(
        file.at(use.statement),
        f"{spelled} chooses GPUs while the program runs",
        todo=(
            f"If {named} is one device: os.environ['{DEVICE}'] = {named}, before {opened}. "
            f"If it may be several: remove the line. {_ONE_EACH}"
        ),
    )


def _one_device(file: File, use: Use, spelled: str) -> Diagnosis:
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


def _read(file: File, use: Use) -> Diagnosis:
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
