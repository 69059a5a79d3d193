"""Processes started with MPI or horovodrun: report how to start them for NPUs."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command

RULE = Rule(
    code="SH-MPI-1",
    title="Start one process for each device without MPI",
    why=(
        "NPU processes find each other through a rank table and variables of their own, not "
        "through MPI: mpirun and horovodrun give them neither rank nor device."
    ),
    statuses=(Status.MANUAL,),
    before="mpirun -np 8 python train.py",
    framework="tensorflow",
)

_LAUNCHERS = frozenset({"mpirun", "mpiexec", "horovodrun", "orterun"})
_NUMBER = re.compile(r"--?(?:np|n|num-proc)(?:=(.+))?")
_PROGRAM = re.compile(r"(?:.*/)?(?:python[\d.]*|bash|sh|numactl|\$\{?PYTHON\w*\}?)|.*\.(?:py|sh)")
_INSIDE = re.compile(r"(?<![\w./-])(?:mpirun|mpiexec|horovodrun)(?![\w.-])")
_MAX_SHOWN = 160


@RULE.text("shell")
def report_launch(site: TextSite) -> Diagnoses:
    """Commands, and commands that a script stores in a variable."""
    if not _INSIDE.search(site.text):
        return
    for command in _script.commands(site.text):
        if command.name in _LAUNCHERS:
            yield _launched(site, command)
            continue
        for item in command.assignments:
            if _INSIDE.search(item.value.text) and "$(" not in item.value.text:
                match = re.search(r"\s--?np?[ =](\S+)", item.value.text)
                number = "N" if match is None else match[1].strip("'\"")
                yield RULE.manual(
                    site.at(item.word.start, item.word.end),
                    f"{item.name} holds a command that starts processes with MPI",
                    todo=_recipe(number, f"<the training command> without ${item.name}"),
                )


def _launched(site: TextSite, command: Command) -> Diagnosis:
    words = command.rest
    number = "N"
    program = "<the training command>"
    for index, word in enumerate(words[1:], 1):
        match = _NUMBER.fullmatch(word.text)
        if match is not None:
            number = match[1] or (words[index + 1].value if index + 1 < len(words) else number)
        elif _PROGRAM.fullmatch(word.value):
            shown = " ".join(item.text for item in words[index:])
            program = shown if len(shown) <= _MAX_SHOWN else shown[: _MAX_SHOWN - 3] + "..."
            break
    todo = (
        f"Start the program directly: RANK_ID=0 RANK_SIZE=1 JOB_ID=1 {program}"
        if number == "1"
        else _recipe(number, program)
    )
    return RULE.manual(
        site.at(words[0].start, command.end),
        f"{words[0].text} starts {number} processes with MPI",
        todo=todo,
    )


def _recipe(number: str, program: str) -> str:
    last = str(int(number) - 1) if number.isdigit() else f"$(({number} - 1))"
    return (
        f"Start one process for each device: export JOB_ID=1 RANK_SIZE={number} "
        f"RANK_TABLE_FILE=<rank table>; for i in $(seq 0 {last}); do RANK_ID=$i "
        f"ASCEND_DEVICE_ID=$i {program} > rank_$i.log 2>&1 & done; wait"
    )
