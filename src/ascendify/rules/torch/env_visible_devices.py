"""Rename CUDA_VISIBLE_DEVICES in programs and launch scripts."""

from __future__ import annotations

import ast

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import (
    Changes,
    Diagnoses,
    Diagnosis,
    File,
    Rule,
    Site,
    Status,
    TextSite,
    environment,
    visible_devices,
)
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Assignment
from ascendify.rules.torch import _variables
from ascendify.rules.torch._variables import VariableMention
from ascendify.source.edits import Edit
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-ENV-1",
    title="Choose devices with ASCEND_RT_VISIBLE_DEVICES",
    why=(
        "CUDA_VISIBLE_DEVICES has no effect on NPUs: every process sees all devices and uses the "
        "first. ASCEND_RT_VISIBLE_DEVICES does the same for NPUs, with numbers in ascending order; "
        "with a list in another order a process sees no device at all."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'",
    after="os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,1'",
    safety=(
        "A value that the program computes must be numbers in ascending order. A literal list is "
        "sorted, so another card may become device 0."
    ),
    framework="torch",
)

NPU_VISIBLE = gpu_variables.visible_devices("torch")
_ASCENDING = "Check that its value is device numbers in ascending order, such as 0,1,3."
_MUST_BE_NUMBERS = (
    f"Set {NPU_VISIBLE} to the numbers of the devices, in ascending order, as shown by "
    "`npu-smi info`."
)


@RULE.file
def rename_in_program(file: File) -> Diagnoses:
    """Rename literals that are the name, or contain ``NAME=value`` in a command."""
    for mention in _variables.mentions(file, (VISIBLE,)):
        text = _variables.renamed(file, mention, NPU_VISIBLE)
        if text is None:
            found = f"{file.brief(mention.node)} contains {VISIBLE}"
            yield RULE.manual(file.at(mention.node), found, todo=f"Use {NPU_VISIBLE} instead.")
            continue
        fix = file.fix()
        fix.replace(mention.node, text)
        use = _use(file, mention)
        if use is None:
            todo = f"Check that the code that reads it uses {NPU_VISIBLE} too."
            yield _renamed(file, mention, todo, fix)
        elif use.action != "set" or use.value is None:
            yield _renamed(file, mention, "", fix)
        else:
            yield _set_in_program(file, mention, use.value, fix)


def _use(file: File, mention: VariableMention) -> environment.VariableUse | None:
    """The use of ``os.environ`` with a literal as its key."""
    owner = parent(mention.node)
    if isinstance(owner, ast.Compare) and any(
        file.name(item) == "os.environ" for item in owner.comparators
    ):
        return environment.VariableUse("read", mention.node, VISIBLE, None, owner)
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
        target: ast.expr = owner.func
    elif isinstance(owner, ast.Subscript):
        target = owner.value
    else:
        return None
    name = file.name(target)
    if name not in environment.REFERENCES:
        return None
    return environment.use_at(Site(file, target, name))


def _set_in_program(
    file: File, mention: VariableMention, value: ast.expr, fix: Changes
) -> Diagnosis:
    """Rename a variable that gets a value, which must be numbers in ascending order."""
    values = file.literal(value)
    lists = [visible_devices.numbers(str(item)) for item in values or ()]
    if not lists:
        return _renamed(file, mention, _ASCENDING, fix)
    if any(item is None for item in lists):
        return RULE.manual(
            file.at(mention.node),
            f"{file.brief(parent(value))} does not choose GPUs by their numbers",
            todo=_MUST_BE_NUMBERS,
        )
    if all(visible_devices.ascends(item) for item in lists if item is not None):
        return _renamed(file, mention, "", fix)
    numbers = lists[0] or []
    if len(lists) > 1 or len(set(numbers)) < len(numbers) or not isinstance(value, ast.Constant):
        return _renamed(file, mention, _ASCENDING, fix)
    ordered = file.quoted(",".join(map(str, sorted(numbers))), value)
    fix.edits.append(Edit(file.module.start(value), file.module.end(value), ordered))
    return _renamed(file, mention, _sorted(numbers), fix)


def _sorted(numbers: list[int]) -> str:
    return (
        f"Check the order: the list was sorted, so device 0 was card {numbers[0]} and is now card "
        f"{min(numbers)}."
    )


def _renamed(file: File, mention: VariableMention, todo: str, fix: Changes) -> Diagnosis:
    return RULE.fixed(
        file.at(mention.node),
        f"{file.brief(mention.node)} chooses GPUs",
        done=f"Replaced {VISIBLE} by {NPU_VISIBLE}.",
        todo=todo,
        fix=fix,
    )


@RULE.text("shell")
def rename_in_script(site: TextSite) -> Diagnoses:
    """Rename every place that sets or reads the variable."""
    if VISIBLE not in site.text:
        return
    for command in _script.commands(site.text):
        for item in command.assignments:
            if item.name == VISIBLE:
                yield _set(site, item)
    for start, end in _script.reads(site.text, VISIBLE):
        yield RULE.auto(
            site.at(start, end),
            f"${VISIBLE} is not set on an NPU machine",
            done=f"Replaced it by ${NPU_VISIBLE}.",
            fix=Changes([Edit(start, end, NPU_VISIBLE)]),
        )


def _set(site: TextSite, item: Assignment) -> Diagnosis:
    start, end = item.word.start, item.word.end
    value = item.value
    numbers = visible_devices.numbers(value.value) if value.is_plain else []
    if numbers is None:
        return RULE.manual(
            site.at(start, end),
            f"{item.word.text} does not choose GPUs by their numbers",
            todo=_MUST_BE_NUMBERS,
        )
    edits = [Edit(start, start + len(VISIBLE), NPU_VISIBLE)]
    todo = "" if value.is_plain else _ASCENDING
    if value.is_plain and not visible_devices.ascends(numbers):
        edits.append(Edit(value.start, value.end, ",".join(map(str, sorted(set(numbers))))))
        todo = _sorted(numbers)
    return RULE.fixed(
        site.at(start, end),
        f"{item.word.text} chooses GPUs",
        done=f"Replaced {VISIBLE} by {NPU_VISIBLE}.",
        todo=todo,
        fix=Changes(edits),
    )
