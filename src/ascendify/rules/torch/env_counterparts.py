"""Rename environment variables of CUDA and NCCL that have a counterpart on NPUs."""

from __future__ import annotations

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import GpuVariable
from ascendify.rules.kit import (
    Changes,
    Diagnoses,
    Diagnosis,
    File,
    Location,
    Rule,
    Status,
    TextSite,
)
from ascendify.rules.shell import _script
from ascendify.rules.torch import _variables
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-ENV-2",
    title="Set the NPU's counterparts of GPU variables",
    why=(
        "An NPU machine does not read variables of CUDA and NCCL. Some of them have a counterpart "
        "that does the same: without it a debugging option, an allocator setting or the choice of "
        "a network card is silently lost."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="export CUDA_LAUNCH_BLOCKING=1",
    after="export ASCEND_LAUNCH_BLOCKING=1",
    framework="torch",
)


_RENAMED = gpu_variables.renamed("torch")


@RULE.file
def rename_in_program(file: File) -> Diagnoses:
    """Rename literals that are such a name, or contain ``NAME=value`` in a command."""
    for mention in _variables.mentions(file, tuple(_RENAMED)):
        variable = _RENAMED[mention.variable]
        new = variable.counterpart("torch")
        text = _variables.renamed(file, mention, new)
        if text is None:
            continue
        fix = file.fix()
        fix.replace(mention.node, text)
        yield _renamed(file.at(mention.node), variable, fix)


@RULE.text("shell")
def rename_in_script(site: TextSite) -> Diagnoses:
    """Rename assignments, and the places that read the variable."""
    for command in _script.commands(site.text):
        for item in command.assignments:
            variable = _RENAMED.get(item.name)
            if variable is None:
                continue
            new = variable.counterpart("torch")
            start = item.word.start
            edits = [Edit(start, start + len(item.name), new)]
            edits += [Edit(*place, new) for place in _script.reads(site.text, item.name)]
            yield _renamed(site.at(start, item.word.end), variable, Changes(edits))


def _renamed(place: Location, variable: GpuVariable, fix: Changes) -> Diagnosis:
    return RULE.fixed(
        place,
        f"{variable.name} is read on GPU machines only",
        done=f"Replaced it by {variable.counterpart('torch')}.",
        todo=variable.changes,
        fix=fix,
    )
