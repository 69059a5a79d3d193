"""Compare devices with the name of an NPU instead of that of a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._device_flow import Uses, says_device
from ascendify.rules.torch._places import Place, place_of
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DEV-2",
    title="Compare devices with the NPU's name",
    why=(
        "On an NPU the type of every device is 'npu', so a comparison with 'cuda' is never true: "
        "the branch for the accelerator is skipped, and no error says so."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="if x.device.type == 'cuda':\n    ...",
    after="if x.device.type == 'npu':\n    ...",
    safety=(
        "With --style transfer the program's own strings and devices still say cuda and tensors "
        "say npu, so comparisons accept both. In a list of several devices the NPU is added and "
        "the GPU stays."
    ),
)


@RULE.file
def compare(file: File) -> Diagnoses:
    """Look at every comparison with a string that may name a GPU."""
    for item in _designators.all_of(file):
        place = place_of(item.whole)
        if place.kind == "compared" and place.subject is not None:
            yield from _compared(file, item, place, place.subject)
        elif place.kind == "key" and isinstance(place.group, ast.Dict):
            yield from _looked_up(file, item, place.group)
        elif file.facts.style == "transfer" and _is_compared_device(file, item):
            found = f"A device is compared with {file.brief(parent(item.whole))}"
            yield from _change(file, item, place, Status.AUTO, found, "")


def _is_compared_device(file: File, item: Designator) -> bool:
    """Whether it is ``x.device == torch.device('cuda:0')``, which transfer_to_npu keeps."""
    call = parent(item.whole)
    return (
        isinstance(call, ast.Call)
        and isinstance(parent(call), ast.Compare)
        and file.name(call.func) == "torch.device"
    )


def _compared(file: File, item: Designator, place: Place, subject: ast.expr) -> Diagnoses:
    what = _core(subject)
    text, shown = file.brief(item.whole), file.brief(subject)
    found = f"{shown} is compared with {text}"
    if place.group is None and _has_npu_branch(item):
        yield RULE.info(file.at(item.whole), f"{found}; the program has a branch for NPUs too")
        return
    switched = file.facts.style == "transfer"
    if switched and place.group is None and (_is_device(file, what) or what is not subject):
        change = _either(file, item, subject)
        if change is not None and (_is_device(file, what) or says_device(file.text(what))):
            done = f"The comparison accepts {_designators.renamed(text)} too."
            yield RULE.auto(file.at(item.whole), found, done=done, fix=change)
            return
    if _is_device(file, what):
        yield from _change(file, item, place, Status.AUTO, found, "")
        return
    if isinstance(what, ast.Constant):
        return
    if switched:
        # strings of the program keep their value; those made from a device do not
        if what is not subject and says_device(file.text(what)):
            yield _doubtful(file, item, found, shown)
        return
    flow = _uses(file, what)
    if flow.device:
        yield from _change(file, item, place, Status.AUTO, found, "")
    elif flow.likely:
        todo = f"Check that {shown} is a device: only {flow.likely[0]} suggests it."
        yield from _change(file, item, place, Status.AUTO_CHECK, found, todo)
    elif file.literal(what) is None:
        yield _doubtful(file, item, found, shown)


def _either(file: File, item: Designator, subject: ast.expr) -> Fix | None:
    """Accept both names in a comparison; None where it is not a simple one."""
    owner = parent(item.whole)
    text = file.text(item.whole)
    both = f"({text}, {_designators.renamed(text)})"
    fix = file.fix()
    if isinstance(owner, ast.Call) and getattr(owner.func, "attr", "") == "startswith":
        fix.replace(item.whole, both)
        return fix
    if not isinstance(owner, ast.Compare) or len(owner.ops) != 1:
        return None
    is_negative = isinstance(owner.ops[0], (ast.NotEq, ast.NotIn))
    if isinstance(owner.ops[0], (ast.In, ast.NotIn)) and isinstance(subject, ast.Call):
        new = f"{file.text(subject)}.startswith({both})"
        fix.replace(owner, f"(not {new})" if is_negative else new)
        return fix
    fix.replace(owner, f"{file.text(subject)} {'not in' if is_negative else 'in'} {both}")
    return fix


def _has_npu_branch(item: Designator) -> bool:
    """Whether the same decision tests for the NPU too: ``elif device.type == 'npu'``."""
    wanted = _designators.renamed(item.text)
    if not wanted:
        return False
    whole: ast.AST = item.whole
    while isinstance(whole, ast.expr) and isinstance(parent(whole), ast.expr):
        whole = parent(whole)
    tests: list[ast.AST] = [whole]
    branch = parent(whole)
    while isinstance(branch, ast.If):
        tests.append(branch.test)
        above = parent(branch)
        if not (isinstance(above, ast.If) and above.orelse == [branch]):
            break
        branch = above
    while isinstance(branch, ast.If) and len(branch.orelse) == 1:
        branch = branch.orelse[0]
        tests.append(getattr(branch, "test", branch))
    return any(
        isinstance(node, ast.Constant) and node.value == wanted
        for test in tests
        if not isinstance(test, ast.stmt)
        for node in ast.walk(test)
    )


def _doubtful(file: File, item: Designator, found: str, shown: str) -> Diagnosis:
    new = _designators.renamed(file.brief(item.whole))
    return RULE.manual(
        file.at(item.whole), found, todo=f"If {shown} names a device, compare it with {new}."
    ).as_possible()


def _uses(file: File, node: ast.expr) -> Uses:
    if not isinstance(node, ast.Call):
        return _device_uses.of_variable(file, node)
    last = last_name(node.func)
    if says_device(last):
        return Uses(likely=[f"the name {last}"])
    return Uses(unknown=[file.brief(node)])


def _core(node: ast.expr) -> ast.expr:
    """The object that a string was made from: ``device`` in ``str(device).split(':')[0]``."""
    while True:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            node = node.value
        elif not isinstance(node, ast.Call):
            return node
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS:
            node = node.func.value
        elif getattr(node.func, "id", "") in ("str", "repr") and len(node.args) == 1:
            node = node.args[0]
        else:
            return node


_TEXT_METHODS = ("split", "strip", "lower", "rsplit", "partition", "casefold")


def _is_device(file: File, node: ast.expr) -> bool:
    """Whether an expression is a device or the type of one, not a string of the program."""
    if isinstance(node, ast.Attribute) and node.attr == "type":
        return _device_uses.is_device_object(file, node.value)
    kinds, certain = file.resolver.kinds(file.module, node)
    return certain and all(kind == "torch.device" for kind in kinds)


def _change(
    file: File, item: Designator, place: Place, status: Status, found: str, todo: str
) -> Diagnoses:
    fix = file.fix()
    new = _designators.renamed(file.brief(item.whole))
    if place.group is None:
        _designators.rename(fix, item.literal)
        done = f"Wrote {new}."
    else:
        if _designators.lists_npu(place.group):
            return
        _designators.add_beside(fix, item.literal)
        done = f"Added {new}."
    yield RULE.finding(status, file.at(item.whole), found, done=done, todo=todo, fix=fix)


def _looked_up(file: File, item: Designator, table: ast.Dict) -> Diagnoses:
    """Rename a key in ``{'cuda': a, 'cpu': b}[device.type]``."""
    owner = parent(table)
    key: ast.expr | None = None
    if isinstance(owner, ast.Subscript) and owner.value is table:
        key = owner.slice
    elif isinstance(owner, ast.Attribute) and owner.attr == "get":
        call = parent(owner)
        key = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if key is None or not _is_device(file, _core(key)):
        return
    fix = file.fix()
    _designators.rename(fix, item.literal)
    yield RULE.auto(
        file.at(item.whole),
        f"{file.brief(key)} is looked up in a dictionary with {file.brief(item.whole)}",
        done=f"Wrote {_designators.renamed(file.brief(item.whole))}.",
        fix=fix,
    )
