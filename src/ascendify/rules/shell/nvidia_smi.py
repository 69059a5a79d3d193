"""nvidia-smi in launch scripts: use npu-smi."""

from __future__ import annotations

from ascendify.catalog import advice
from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
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
        )
