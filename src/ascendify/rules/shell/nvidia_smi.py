"""nvidia-smi in launch scripts: use npu-smi."""

from __future__ import annotations

import re

from ascendify.catalog import advice
from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command
from ascendify.source.edits import Edit

RULE = Rule(
    code="SH-NVSMI-1",
    title="Use npu-smi instead of nvidia-smi",
    why="An NPU machine has no nvidia-smi; npu-smi is its counterpart.",
    statuses=(Status.AUTO, Status.MANUAL),
    before="nvidia-smi",
    after="npu-smi info",
)

_TODO = (
    f"{advice.text('npu-smi')} Its output has another format; `ls /dev/davinci[0-9]* | wc -l` "
    "counts devices."
)


_FOR_GPUS = re.compile(r"nvidia(?!-smi)|cuda|cudnn|nccl|dcgm|gpu", re.I)
_CONDITION = re.compile(r"(?:^|[;&|\n])[ \t]*(?:if|elif)[ \t]+(?:!?[ \t]*|command -v |which )*$")
_END = re.compile(r"^[ \t]*(?:else|elif|fi)\b|;[ \t]*(?:else|elif|fi)\b", re.M)


def _guarded(text: str, command: Command) -> str | None:
    """What is done where a call of nvidia-smi works, if that is what it is called for."""
    line = text[text.rfind("\n", 0, command.start) + 1 : command.start]
    if not _CONDITION.search(line):
        return None
    end = _END.search(text, command.end)
    return text[command.end : len(text) if end is None else end.start()]


@RULE.text("shell")
def replace_command(site: TextSite) -> Diagnoses:
    """Replace a bare call; report one with arguments or whose output is parsed."""
    if "nvidia-smi" not in site.text:
        return
    for command in _script.commands(site.text):
        word = next(
            (item for item in command.rest if item.value.rpartition("/")[2] == "nvidia-smi"), None
        )
        if word is None:
            continue
        guarded = _guarded(site.text, command)
        if guarded is not None and _FOR_GPUS.search(guarded):
            yield RULE.manual(
                site.at(word.start, word.end),
                f"{word.text} decides what is done on machines with GPUs",
                todo="Not changed: it fails on an NPU machine, so that what is for GPUs is not "
                "done there. For NPUs write a branch of its own: `npu-smi info` tests for one.",
            )
            continue
        if len(command.rest) == 1 and not command.captured:
            yield RULE.auto(
                site.at(word.start, word.end),
                f"{word.text} shows GPUs",
                done="Replaced it by npu-smi info.",
                fix=Changes([Edit(word.start, word.end, "npu-smi info")]),
            )
            continue
        yield RULE.manual(
            site.at(word.start, command.end),
            f"`{' '.join(item.text for item in command.rest)}` queries GPUs from NVIDIA's driver",
            todo=_TODO,
            cause="nvidia-smi",
        )
