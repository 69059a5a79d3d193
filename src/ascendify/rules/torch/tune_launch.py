"""Set the variables in launch scripts with which torch_npu trains the same numbers faster."""

from __future__ import annotations

import re

from ascendify.catalog import launch_tuning
from ascendify.rules.kit import Changes, Diagnoses, Effort, Rule, Status, TextSite
from ascendify.rules.shell import _programs, _script
from ascendify.rules.torch import _release
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-TUNE-7",
    title="Set the variables of torch_npu that make training faster",
    why=(
        "torch_npu launches operators in two stages with TASK_QUEUE_ENABLE=2, binds its threads to "
        "cores near the NPU with CPU_AFFINITY_CONF, and fragments memory less with expandable "
        "segments. None is on by default, and none changes a number. What the environment sets "
        "already stays. Source: the pages on these variables in the vendor's documentation."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before="torchrun --nproc_per_node=8 train.py",
    after=(
        'export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE:-2}"\n'
        'export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"\n'
        'export PYTORCH_NPU_ALLOC_CONF="${PYTORCH_NPU_ALLOC_CONF:-expandable_segments:True}"\n'
        "torchrun --nproc_per_node=8 train.py"
    ),
    framework="torch",
    safety="The speed differs, and so does the memory that is needed; the numbers do not.",
)
_STARTS = re.compile(r"python[\d.]*|torchrun|accelerate|deepspeed")


@RULE.text("shell")
def set_variables(site: TextSite) -> Diagnoses:
    """Export them before the first program of the project is started."""
    program = _programs.first_started(site, _STARTS) if site.runs else None
    if program is None:
        return
    command = next(item for item in _script.commands(site.text) if program in item.rest)
    wanted = [
        item
        for item in launch_tuning.read_by(_release.of(site.facts).stack)
        if not any(re.search(rf"\b{word}\b", site.whole_text) for word in item.unless)
    ]
    if not wanted:
        return
    start = site.text.rfind("\n", 0, command.start) + 1
    line = site.text[start : command.start]
    indent = line[: len(line) - len(line.lstrip())]
    newline = "\r\n" if "\r\n" in site.text else "\n"
    lines = "".join(f"{indent}{item.export}{newline}" for item in wanted)
    names = ", ".join(item.name for item in wanted)
    place = site.at(program.start, program.end)
    found = f"{program.text} is started without {names}"
    todo = " ".join(item.condition for item in wanted)
    if not site.facts.tune:
        yield RULE.info(place, found, todo=f"Migrate with --tune. {todo}", cause=RULE.code)
        return
    yield RULE.auto_check(
        place,
        found,
        done=f"Set {names}.",
        todo=todo,
        effort=Effort.NONE,
        fix=Changes([Edit(start, start, lines)]),
    )
