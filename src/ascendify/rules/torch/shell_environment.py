"""Replace paths of CUDA in launch scripts by the environment script of CANN."""

from __future__ import annotations

import re

from ascendify.catalog import advice, gpu_variables
from ascendify.catalog.gpu_variables import LOCATION
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _programs, _removal, _script
from ascendify.rules.shell._script import Assignment, Command
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-SH-3",
    title="Load the environment of CANN in launch scripts",
    why=(
        "torch_npu finds its libraries in paths that set_env.sh of CANN sets. A process that was "
        "started without them cannot import torch_npu."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before="export CUDA_HOME=/usr/local/cuda",
    after="source /usr/local/Ascend/ascend-toolkit/set_env.sh",
    safety="Change the path if CANN is installed elsewhere.",
    framework="torch",
)

_LOAD = advice.text("set-env")
_SEARCHED = frozenset({"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"})
_PREPARED = re.compile(r"set_env\.sh|ASCEND_(?:HOME|TOOLKIT)")
_STARTS = re.compile(r"python[\d.]*|torchrun|accelerate|deepspeed")


@RULE.text("shell")
def load_environment(site: TextSite) -> Diagnoses:
    """Replace the first command that only sets paths of CUDA, and remove the others."""
    script = _script.commands(site.text)
    going = [command for command in script if _only_sets_cuda(site, command)]
    for command in going:
        yield _replaced(site, command, going)
    gone = {id(command) for command in going}
    for command in script:
        for item in command.assignments:
            if id(command) not in gone and _is_location(item.name):
                yield RULE.info(
                    site.at(item.word.start, item.word.end),
                    f"{item.name} is the path of CUDA, which an NPU machine does not have",
                )
    if going or _PREPARED.search(site.text):
        return
    program = _programs.first_started(site, _STARTS)
    if program is not None:
        yield RULE.info(
            site.at(program.start, program.end),
            f"{program.text} needs the environment of CANN: `{_LOAD}`",
        )


def _replaced(site: TextSite, command: Command, going: list[Command]) -> Diagnosis:
    first = command is going[0] and not _PREPARED.search(site.text)
    edits = (
        [Edit(command.start, command.end, _LOAD)]
        if first
        else _removal.remove_command(site.text, command, lambda item: item in going[1:])
    )
    words = " ".join(word.text for word in command.words)
    return RULE.auto_check(
        site.at(command.start, command.end),
        f"{words} sets paths of CUDA",
        done=f"Replaced it by {_LOAD}." if first else "Removed it.",
        todo="Check that CANN is installed there." if first else "",
        fix=Changes(edits),
    )


def _only_sets_cuda(site: TextSite, command: Command) -> bool:
    return command.only_sets and all(_is_cuda(site, item) for item in command.assignments)


def _is_location(name: str) -> bool:
    """Whether a variable says where CUDA, cuDNN or NCCL is installed."""
    variable = gpu_variables.find(name)
    return variable is not None and variable.kind == LOCATION


def _is_cuda(site: TextSite, item: Assignment) -> bool:
    """Whether a variable is a path of CUDA that the rest of the script does not use."""
    if _is_location(item.name):
        reads = _script.reads(site.text, item.name)
        return all(_in_search_path(site, start) for start, _ in reads)
    if item.name not in _SEARCHED or "$(" in item.value.text:
        return False
    parts = [part for part in item.value.value.split(":") if part]
    own = [part for part in parts if f"${item.name}" not in part and f"${{{item.name}" not in part]
    return bool(own) and all(re.search(r"cuda|cudnn", part, re.I) for part in own)


def _in_search_path(site: TextSite, offset: int) -> bool:
    """Whether a place is in the value of a search path, which is removed too."""
    line = site.text[site.text.rfind("\n", 0, offset) + 1 : offset]
    return re.match(r"\s*(?:export\s+)?(?:LD_)?(?:LIBRARY_)?PATH=", line) is not None
