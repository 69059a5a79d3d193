"""Variables of CUDA, NCCL, XLA and Horovod in launch scripts."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules import _gpu_variables
from ascendify.rules.fix import Changes
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.shell import _removal, _script
from ascendify.rules.shell._script import Assignment, Command
from ascendify.rules.site import TextSite

RULE = Rule(
    code="SH-ENV-1",
    title="Remove variables that only GPUs read from launch scripts",
    why=(
        "Variables of CUDA, cuDNN, NCCL and Horovod have no reader on an NPU machine, and "
        "TF_XLA_FLAGS may switch XLA on, which takes operators away from the NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="export NCCL_DEBUG=INFO\npython train.py",
    after="python train.py",
    framework="tensorflow",
)


@RULE.text("shell")
def remove_variables(site: TextSite) -> Iterator[Diagnosis]:
    """Assignments and exports; one that the script itself reads is only noted."""
    script = _script.commands(site.text)
    for command in script:
        for item in command.assignments:
            if _gpu_variables.is_gpu_only(item.name):
                yield _without(site, script, command, item)


def _without(
    site: TextSite, script: list[Command], command: Command, item: Assignment
) -> Diagnosis:
    start, end = item.word.start, item.word.end
    if not _may_go(site, item):
        return site.finding(
            RULE,
            Status.INFO,
            start,
            end,
            f"{item.name} is read on GPU machines only; it was left because the script uses it",
        )
    going = [
        other.word
        for other in command.assignments
        if _gpu_variables.is_gpu_only(other.name) and _may_go(site, other)
    ]
    whole = _goes_whole(site, command)
    edits = (
        _removal.remove_command(site.text, command, script, lambda other: _goes_whole(site, other))
        if whole
        else [_removal.remove_words(command, item.word, lambda word: word in going)]
    )
    todo = "" if item.value.value == "0" else _gpu_variables.instead(item.name)
    return site.finding(
        RULE,
        Status.AUTO_CHECK if todo else Status.AUTO,
        start,
        end,
        f"{item.name} is read on GPU machines only",
        done=f"Removed {' '.join(item.word.text.split())}.",
        todo=todo,
        fix=Changes(edits),
    )


def _goes_whole(site: TextSite, command: Command) -> bool:
    """Whether everything a command does is set variables this rule removes."""
    return command.only_sets and all(
        _gpu_variables.is_gpu_only(item.name) and _may_go(site, item)
        for item in command.assignments
    )


def _may_go(site: TextSite, item: Assignment) -> bool:
    runs = "$(" in item.value.text or "`" in item.value.text
    return not runs and not _script.reads(site.text, item.name)
