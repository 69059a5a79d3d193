"""Replace paths of CUDA in launch scripts by the environment script of CANN."""

from __future__ import annotations

import re

from ascendify.catalog import advice, gpu_variables
from ascendify.catalog.gpu_variables import LOCATION
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _programs, _removal, _script
from ascendify.rules.shell._script import Assignment, Command, Word
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
_MODULE = re.compile(r"(?:[\w.-]+/)*(?:cuda|cudnn|nccl|cudatoolkit|nvhpc|nvidia)(?![a-z])", re.I)
_STARTS = re.compile(r"python[\d.]*|torchrun|accelerate|deepspeed")


@RULE.text("shell")
def load_environment(site: TextSite) -> Diagnoses:
    """Replace the first command that only sets paths of CUDA, and remove the others."""
    yield from _modules(site)
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
    first = command is going[0] and not _PREPARED.search(site.text) and site.runs
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
        todo=_todo(site, first),
        fix=Changes(edits),
    )


def _todo(site: TextSite, first: bool) -> str:
    if not site.runs:
        return f"Load the paths of CANN before the program starts: `{_LOAD}`."
    return "Check that CANN is installed there." if first else ""


def _modules(site: TextSite) -> Diagnoses:
    """Remove CUDA's modules from ``module load``, or load CANN in their place."""
    if "module" not in site.text and "ml " not in site.text:
        return
    found = [(item, _cuda_modules(item)) for item in _script.commands(site.text)]
    going = [item for item, words in found if words and _has_only(item, words)]
    for command, words in found:
        if words:
            load = going[:1] == [command] and not _PREPARED.search(site.text)
            yield _without(site, command, words, going, load)


def _has_only(command: Command, modules: list[Word]) -> bool:
    """Whether a command loads these modules and no others."""
    return len(modules) == len(command.rest) - 1 - (command.name == "module")


def _without(
    site: TextSite, command: Command, modules: list[Word], going: list[Command], load: bool
) -> Diagnosis:
    """Remove modules of CUDA from a command, or the command; ``load`` puts CANN in its place."""
    names = " ".join(word.text for word in modules)
    done, todo = f"Removed {names}.", f"Load the environment of CANN instead: `{_LOAD}`."
    if load:
        edits = [Edit(command.start, command.end, _LOAD)]
        done, todo = f"Replaced it by {_LOAD}.", "Check that CANN is installed there."
    elif command in going:
        edits = _removal.remove_command(site.text, command, lambda item: item in going)
    else:
        removed = (_removal.remove_words(command, word, modules.__contains__) for word in modules)
        edits = list(dict.fromkeys(removed))
    return RULE.auto_check(
        site.at(command.start, command.end),
        f"{' '.join(word.text for word in command.rest)} loads {names}",
        done=done,
        todo=todo,
        fix=Changes(edits),
    )


def _cuda_modules(command: Command) -> list[Word]:
    """The modules of CUDA that a command loads."""
    words = command.rest
    if command.name == "module" and words[1:2] and words[1].value in ("load", "add"):
        words = words[2:]
    elif command.name == "ml" and words[1:] and words[1].value not in ("unload", "purge", "list"):
        words = words[1:]
    else:
        return []
    return [word for word in words if _MODULE.match(word.value)]


def _only_sets_cuda(site: TextSite, command: Command) -> bool:
    return command.only_sets and all(_is_cuda(site, item) for item in command.assignments)


def _is_location(name: str) -> bool:
    """Whether a variable says where CUDA, cuDNN or NCCL is installed."""
    variable = gpu_variables.find(name)
    return variable is not None and variable.kind == LOCATION


def _is_cuda(site: TextSite, item: Assignment) -> bool:
    """Whether a variable is a path of CUDA that the rest of the script does not use."""
    if _is_location(item.name):
        reads = _script.reads(site.whole_text, item.name)
        return all(_in_search_path(site, start) for start, _ in reads)
    if item.name not in _SEARCHED or "$(" in item.value.text:
        return False
    parts = [part for part in item.value.value.split(":") if part]
    own = [part for part in parts if f"${item.name}" not in part and f"${{{item.name}" not in part]
    return bool(own) and all(re.search(r"cuda|cudnn", part, re.I) for part in own)


def _in_search_path(site: TextSite, offset: int) -> bool:
    """Whether a place is in the value of a search path, which is removed too."""
    text = site.whole_text
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return re.match(r"\s*(?:export\s+|ENV\s+)?(?:LD_)?(?:LIBRARY_)?PATH=", line) is not None
