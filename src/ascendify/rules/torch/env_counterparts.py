"""Variables of CUDA and NCCL that an NPU reads under another name."""

from __future__ import annotations

from ascendify.rules.kit import Changes, Diagnoses, File, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.torch import _variables
from ascendify.rules.torch._variables import COUNTERPARTS
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-ENV-2",
    title="Set the NPU's counterparts of GPU variables",
    why=(
        "An NPU machine does not read variables of CUDA and NCCL. Some of them have a counterpart "
        "that does the same: without it a debugging switch, an allocator setting or the choice of "
        "a network card is lost without a word."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="export CUDA_LAUNCH_BLOCKING=1",
    after="export ASCEND_LAUNCH_BLOCKING=1",
    framework="torch",
)


@RULE.file
def rename_in_program(file: File) -> Diagnoses:
    """Every literal that is such a name, or stands in a command as ``NAME=value``."""
    for mention in _variables.mentions(file, tuple(COUNTERPARTS)):
        counterpart = COUNTERPARTS[mention.variable]
        text = _variables.renamed(file, mention, counterpart.name)
        if text is None:
            continue
        fix = file.fix()
        fix.replace(mention.node, text)
        yield RULE.fixed(
            file.at(mention.node),
            f"{mention.variable} is read on GPU machines only",
            done=f"Replaced it by {counterpart.name}.",
            todo=counterpart.todo,
            fix=fix,
        )


@RULE.text("shell")
def rename_in_script(site: TextSite) -> Diagnoses:
    """Assignments, with the places that read the variable."""
    for command in _script.commands(site.text):
        for item in command.assignments:
            counterpart = COUNTERPARTS.get(item.name)
            if counterpart is None:
                continue
            start = item.word.start
            edits = [Edit(start, start + len(item.name), counterpart.name)]
            edits += [
                Edit(*place, counterpart.name) for place in _script.reads(site.text, item.name)
            ]
            yield RULE.fixed(
                site.at(start, item.word.end),
                f"{item.name} is read on GPU machines only",
                done=f"Replaced it by {counterpart.name}.",
                todo=counterpart.todo,
                fix=Changes(edits),
            )
