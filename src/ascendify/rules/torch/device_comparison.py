"""Compare devices with the name of an NPU instead of that of a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.torch import _designators, _device_uses
from ascendify.rules.torch._designators import Designator
from ascendify.rules.torch._device_flow import DeviceUses, says_device
from ascendify.rules.torch._places import StringPlace, place_of
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
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


def _compared(file: File, item: Designator, place: StringPlace, subject: ast.expr) -> Diagnoses:
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


def _uses(file: File, node: ast.expr) -> DeviceUses:
    if not isinstance(node, ast.Call):
        return _device_uses.of_variable(file, node)
    last = last_name(node.func)
    if says_device(last):
        return DeviceUses(likely=[f"the name {last}"])
    return DeviceUses(unknown=[file.brief(node)])


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


_CUDA = "cuda"
_TEXT_METHODS = ("split", "strip", "lower", "rsplit", "partition", "casefold")


def _is_device(file: File, node: ast.expr) -> bool:
    """Whether an expression is a device or the type of one, not a string of the program."""
    if isinstance(node, ast.Attribute) and node.attr == "type":
        return _device_uses.is_device_object(file, node.value)
    kinds, certain = file.resolver.kinds(file.module, node)
    return certain and all(kind == "torch.device" for kind in kinds)


def _change(
    file: File, item: Designator, place: StringPlace, status: Status, found: str, todo: str
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
    """Rename a key in ``{'cuda': a, 'cpu': b}[device.type]``, or in a table with a name."""
    if _lists_npu_key(table):
        return
    keys, all_seen = _lookups(table)
    found = [(key, _evidence(file, key)) for key in keys]
    devices = [(key, evidence) for key, evidence in found if evidence is not None]
    if not devices:
        return
    key, doubt = max(devices, key=lambda one: one[1] == "")
    text = file.brief(item.whole)
    shown = f"{file.brief(key)} is looked up in a dictionary with {text}"
    new = _designators.renamed(text)
    if len(devices) < len(found) or not all_seen:
        todo = f"Add an entry for {new}: other uses of the dictionary may still need {text}."
        yield RULE.manual(file.at(item.whole), shown, todo=todo)
        return
    fix = file.fix()
    _designators.rename(fix, item.literal)
    status = Status.AUTO_CHECK if doubt else Status.AUTO
    todo = f"Check that {file.brief(key)} is a device: only {doubt} suggests it." if doubt else ""
    yield RULE.finding(status, file.at(item.whole), shown, done=f"Wrote {new}.", todo=todo, fix=fix)


@RULE.file
def rename_keyword(file: File) -> Diagnoses:
    """Rename a key in ``dict(cuda=a, cpu=b)[device.type]``, as in a table in braces."""
    if "cuda=" not in file.module.source.text:
        return
    for call in file.module.index.calls_by_name.get("dict", ()):
        given = next((item for item in call.keywords if item.arg == _CUDA), None)
        if given is None or file.name(call.func) != "builtins.dict":
            continue
        if any(item.arg == _designators.NPU for item in call.keywords):
            continue
        keys, all_seen = _lookups(call)
        found = [(key, _evidence(file, key)) for key in keys]
        devices = [(key, doubt) for key, doubt in found if doubt is not None]
        if not devices:
            continue
        key, doubt = max(devices, key=lambda one: one[1] == "")
        shown = f"{file.brief(key)} is looked up in a dictionary with {file.brief(given)}"
        new = f"{_designators.NPU}={file.text(given.value)}"
        if len(devices) < len(found) or not all_seen or file.facts.style == "transfer":
            todo = f"Add {new}: other uses of the dictionary may still need {_CUDA}."
            yield RULE.manual(file.at(given), shown, todo=todo)
            continue
        fix = file.fix()
        start = file.module.start(given)
        fix.replace_range(start, start + len(_CUDA), _designators.NPU)
        status = Status.AUTO_CHECK if doubt else Status.AUTO
        todo = f"Check that {file.brief(key)} is a device: only {doubt} suggests it."
        done = f"Wrote {new}."
        yield RULE.finding(
            status, file.at(given), shown, done=done, todo=todo if doubt else "", fix=fix
        )


def _evidence(file: File, key: ast.expr) -> str | None:
    """What suggests that a key is a device, empty where that is certain; None without any."""
    what = _core(key)
    if _is_device(file, what):
        return ""
    if isinstance(what, ast.Constant) or file.facts.style == "transfer":
        return None  # strings of the program keep their value under the switch
    flow = _uses(file, what)
    return "" if flow.device else next(iter(flow.likely), None)


def _lists_npu_key(table: ast.Dict) -> bool:
    return any(
        isinstance(key, ast.Constant) and str(key.value).partition(":")[0] == _designators.NPU
        for key in table.keys
    )


def _lookups(table: ast.expr) -> tuple[list[ast.expr], bool]:
    """The keys that a dictionary is asked for, and whether these are all uses of it."""
    owner = parent(table)
    uses: list[ast.expr] = [table]
    if isinstance(owner, (ast.Assign, ast.AnnAssign)) and owner.value is table:
        targets = owner.targets if isinstance(owner, ast.Assign) else [owner.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            return [], False
        if len(backward.bindings(targets[0])) != 1:
            return [], False
        uses = list(reads(targets[0]))
    keys = [_asked_for(use) for use in uses]
    return [key for key in keys if key is not None], None not in keys


def _asked_for(use: ast.expr) -> ast.expr | None:
    """The key in ``table[key]``, ``table.get(key)`` and ``key in table``."""
    owner = parent(use)
    if isinstance(owner, ast.Subscript) and owner.value is use:
        return owner.slice if isinstance(owner.ctx, ast.Load) else None
    if isinstance(owner, ast.Attribute) and owner.attr == "get":
        call = parent(owner)
        return call.args[0] if isinstance(call, ast.Call) and call.args else None
    if isinstance(owner, ast.Compare) and owner.comparators == [use]:
        return owner.left if isinstance(owner.ops[0], (ast.In, ast.NotIn)) else None
    return None
