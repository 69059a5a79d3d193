"""Flags of TensorFlow's model garden that choose a strategy and a number of GPUs."""

from __future__ import annotations

import re

from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command
from ascendify.source.edits import Edit

RULE = Rule(
    code="TF2-DIST-11",
    title="Start model garden programs with one device a process",
    why=(
        "Programs of TensorFlow's model garden make their strategy from --distribution_strategy "
        "and --num_gpus. An NPU is no GPU to them: a process trains as if it had one CPU, and "
        "npu_device moves the work to the NPU."
    ),
    statuses=(Status.AUTO_CHECK,),
    before="python train.py --distribution_strategy=mirrored --num_gpus=8",
    after="python train.py --distribution_strategy=one_device --num_gpus=0",
    safety="One process trains on one device; several devices need one process each.",
)

_PYTHON = re.compile(r"python[\d.]*|.*\.py")
_FLAG = re.compile(r"(--?distribution_strategy=|--?num_gpus=)(.*)", re.S)
_WANTED = {"distribution_strategy": "one_device", "num_gpus": "0"}
_SINGLE = frozenset({"one_device", "off"})


@RULE.text("shell")
def one_device(site: TextSite) -> Diagnoses:
    """``--distribution_strategy=mirrored --num_gpus=8`` of a command that starts Python."""
    if "distribution_strategy" not in site.text:
        return
    for command in _script.commands(site.text):
        if any(_PYTHON.fullmatch(word.value.rpartition("/")[2]) for word in command.rest):
            yield from _command(site, command)


def _command(site: TextSite, command: Command) -> Diagnoses:
    edits, spelled, chosen = [], [], None
    for word in command.rest:
        found = _FLAG.fullmatch(word.text)
        if found is None or not word.is_plain:
            continue
        flag = found[1].strip("-=")
        if flag == "distribution_strategy":
            chosen = found[2].strip("'\"")
            if chosen in _SINGLE:
                return
        if found[2] != _WANTED[flag]:
            spelled.append(word.text)
            edits.append(Edit(word.start + len(found[1]), word.end, _WANTED[flag]))
            start, end = word.start, word.end
    if chosen is None or not edits:
        return
    yield RULE.auto_check(
        site.at(start, end),
        f"{' '.join(spelled)} asks for GPUs",
        done="Replaced it by a strategy of one device without GPUs.",
        todo=(
            "To train on several devices, start one process each (ascendify launch) and let the "
            "program divide its data and reduce its gradients."
        ),
        fix=Changes(edits),
    )
