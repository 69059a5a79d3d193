"""CUDA_VISIBLE_DEVICES in launch scripts: use ASCEND_DEVICE_ID."""

from __future__ import annotations

import re

from ascendify.catalog import advice, gpu_variables
from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.kit.visible_devices import is_no_device, is_one_device
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Assignment, Command
from ascendify.source.edits import Edit

RULE = Rule(
    code="SH-CUDA-1",
    title="Choose the device by ASCEND_DEVICE_ID in launch scripts",
    why=(
        "CUDA_VISIBLE_DEVICES means nothing to an NPU: every process would take device 0. One "
        "process drives one device, which ASCEND_DEVICE_ID names."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="CUDA_VISIBLE_DEVICES=2 python train.py",
    after="ASCEND_DEVICE_ID=2 python train.py",
    framework="tensorflow",
)

_VARIABLE = re.compile(r"""(?P<quote>["]?)\$(?P<open>\{)?(?P<name>\w+)(?(open)\})(?P=quote)""")
"""A variable and nothing else: ``$GPU``, ``${GPU}``, ``"$1"``."""
DEVICE = gpu_variables.visible_devices("tensorflow")


@RULE.text("shell")
def rename_variable(site: TextSite) -> Diagnoses:
    """Rename the variable where it is set, and where it is read as the number of one device."""
    if VISIBLE not in site.text:
        return
    script = _script.commands(site.text)
    set_here = [
        (command, item)
        for command in script
        for item in command.assignments
        if item.name == VISIBLE
    ]
    reads = _script.reads(site.text, VISIBLE)
    lasting = [item for command, item in set_here if command.only_sets]
    renames = all(_names_one(item) for item in lasting)
    for command, item in set_here:
        yield _set(site, command, item, reads if lasting and renames else [], renames or not reads)
    if reads and not (lasting and renames):
        start, end = reads[0]
        yield RULE.manual(
            site.at(start, end),
            f"${VISIBLE} is empty on an NPU machine",
            todo=(
                f"Use ${DEVICE} for the device of one process, $RANK_SIZE for the number of "
                "devices of the job."
            ),
        )


def _set(
    site: TextSite, command: Command, item: Assignment, reads: list[tuple[int, int]], alone: bool
) -> Diagnosis:
    value = item.value
    start, end = item.word.start, item.word.end
    spelled = item.word.text
    if value.is_plain and is_no_device(value.value):
        return RULE.info(
            site.at(start, end),
            f"{spelled} keeps a program off GPUs; it does not keep it off an NPU",
        )
    if _names_one(item) and (alone or not command.only_sets):
        name_end = start + len(VISIBLE)
        edits = [Edit(start, name_end, DEVICE), *(Edit(*place, DEVICE) for place in reads)]
        return RULE.auto(
            site.at(start, end),
            f"{spelled} chooses a GPU",
            done=f"Replaced {VISIBLE} by {DEVICE}.",
            fix=Changes(edits),
        )
    if value.is_plain and "," in value.value:
        ids = [part for part in value.value.split(",") if part.strip()]
        return RULE.manual(
            site.at(start, end),
            f"{spelled} gives one process {len(ids)} GPUs",
            todo=_recipe(command, " ".join(ids), len(ids)),
        )
    name = _VARIABLE.fullmatch(value.text)
    if name is not None and (not command.only_sets or not _script.reads(site.text, VISIBLE)):
        quote = name["quote"]
        first = f"{quote}${{{name['name']}%%,*}}{quote}"
        return RULE.auto_check(
            site.at(start, end),
            f"{spelled} chooses GPUs while the script runs",
            done=f"Set {DEVICE} to the first of them.",
            todo=f"If there may be several: {advice.text('one-process-per-device')}",
            fix=Changes([Edit(start, end, f"{DEVICE}={first}")]),
        )
    return RULE.manual(
        site.at(start, end),
        f"{spelled} chooses GPUs while the script runs",
        todo=(
            f"If {value.text} is one device: {DEVICE}={value.text}. If it may be several: "
            f"{advice.text('one-process-per-device')}"
        ),
    )


def _names_one(item: Assignment) -> bool:
    return item.value.is_plain and is_one_device(item.value.value)


def _recipe(command: Command, ids: str, count: int) -> str:
    program = " ".join(word.text for word in command.rest) if not command.only_sets else ""
    if len(program) > 160 or not program:
        program = "<the training command>"
    return (
        "Start one process for each device: export JOB_ID=1 RANK_SIZE="
        f"{count} RANK_TABLE_FILE=<rank table>; rank=0; for id in {ids}; do RANK_ID=$rank "
        f"{DEVICE}=$id {program} & rank=$((rank + 1)); done; wait"
    )
