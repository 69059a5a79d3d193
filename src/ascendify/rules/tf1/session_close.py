"""Sessions: close every one, so that the device is freed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Fix, Rule, Status
from ascendify.rules.tf1._host_work import is_host_work
from ascendify.rules.tf1._session_uses import fate_of, is_owner
from ascendify.source.flow.fate import Fate
from ascendify.source.flow.forward import reads
from ascendify.source.flow.repetition import runs_once
from ascendify.source.nodes import LOOPS, block_of, class_around, last_name, only_target, place_in
from ascendify.source.scopes import ancestors, parent, scope_of

RULE = Rule(
    code="TF1-SESS-2",
    title="Close every session",
    why=(
        "An NPU gives back the memory and streams of a session only in Session.close(). Sessions "
        "that are left open keep the device busy, and the next one may not start."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="sess = tf.Session()\nsess.run(train_op)",
    after="sess = tf.Session()\nsess.run(train_op)\nsess.close()",
)

_PLAIN = ("tf.Session", "tf.InteractiveSession")
_RUNNERS = ("tf.app.run", "absl.app.run")
"""Functions that call the main function of a script, once."""
_LOCAL = ("tf.Session", "tf.train.MonitoredTrainingSession", "tf.train.SingularMonitoredSession")


@RULE.call(*_LOCAL, "tf.InteractiveSession")
def close(site: CallSite) -> Diagnoses:
    """Close a session after its last use, or when the process ends; else report it."""
    around = site.parent
    target = only_target(around)
    if is_host_work(site.file):
        return
    if isinstance(around, ast.Assign) and isinstance(target, ast.Name):
        yield from _variable(site, around, target)
    elif isinstance(target, ast.Attribute):
        yield from _attribute(site, target)
    elif is_owner(site.file, around) and isinstance(parent(around), ast.Expr):
        yield from _given_to_keras(site)
    elif isinstance(around, ast.Expr):
        yield _unnamed(site)


def _variable(site: CallSite, assignment: ast.Assign, target: ast.Name) -> Diagnoses:
    file = site.file
    scope = scope_of(target).find(target.id)
    if scope is None or scope.kind == "class":
        return
    found = reads(target)
    fates = [fate_of(file, use, scope) for use in found]
    name = target.id
    if Fate.CLOSED in fates or Fate.RETURNED in fates:
        return
    stays = Fate.KEPT in fates or Fate.OWNED in fates
    if stays and any(_is_closed(site, other) for other in (name, *_stored(found))):
        return
    text = f"{name} is opened here and never closed"
    last = None
    plain = all(item is Fate.BORROWED for item in fates) and len(scope.bindings[name]) == 1
    if plain and site.name in _LOCAL and scope_of(assignment) is scope:
        last = _last_use(assignment, found)
        if last is not None and _is_endless(assignment, last):
            return
    fix = site.fix()
    if last is not None and _add_close(fix, name, assignment, last):
        done = f"Added {name}.close() after its last use on line {last.end_lineno}."
        yield RULE.auto(site, text, done=done, fix=fix)
    elif _lasts(site):
        yield _at_exit(site, text, name)
    elif Fate.OWNED not in fates:
        yield RULE.manual(site, text, todo=_recipe(site, name), cause=site.path)


def _lasts(site: CallSite) -> bool:
    """Whether there is one such session in a process, which may stay open until its end.

    Monitored sessions are left out: their hooks have something to do when they are closed.
    """
    file = site.file
    return site.name in _PLAIN and runs_once(file.resolver, file.module, site.node, _RUNNERS)


def _at_exit(site: CallSite, text: str, name: str) -> Diagnosis:
    fix = site.fix()
    fix.insert_after(site.statement, f"{fix.use('atexit')}.register({name}.close)")
    done = f"Registered {name}.close for the end of the process: it is used until then."
    return RULE.auto(site, text, done=done, fix=fix)


def _given_to_keras(site: CallSite) -> Diagnoses:
    """Give the session of ``K.set_session(tf.Session())`` a name, to close it at the end."""
    file, module = site.file, site.file.module
    statement = site.statement
    start, end = module.start(site.node), module.end(site.node)
    before, after = module.start(statement), module.end(statement)
    text = module.source.text
    owner = site.parent
    if not isinstance(owner, ast.Call) or len(owner.args) != 1:
        return
    if "#" in text[before:start] + text[end:after]:
        return
    if not _lasts(site) or text[after:].partition("\n")[0].strip().startswith(";"):
        return
    fix = site.fix()
    name = fix.fresh("npu_keras_sess")
    close = f"{fix.use('atexit')}.register({name}.close)"
    indent = module.indent(statement)
    joint = module.source.newline + indent
    fix.replace_range(before, start, f"{name} = ")
    given = f"{file.text(owner.func)}({name})"
    fix.replace_range(end, after, f"{joint}{given}{joint}{close}")
    yield RULE.auto(
        site,
        f"the session of {site.brief} is open until the process ends",
        done=f"Named it {name} and registered its close for the end of the process.",
        fix=fix,
    )


def _unnamed(site: CallSite) -> Diagnosis:
    """A session in no variable: the default one until the process ends, or freed at once."""
    found = f"the session of {site.brief} can never be closed: no variable holds it"
    if site.name == "tf.InteractiveSession" and _lasts(site):
        fix = site.fix()
        fix.wrap(site.node, f"{fix.use('atexit')}.register(", ".close)")
        done = "Registered its close for the end of the process."
        return RULE.auto(site, found, done=done, fix=fix)
    todo = f"Give it a name and close it: with {site.brief} as sess: ..."
    return RULE.manual(site, found, todo=todo, cause=site.path)


def _recipe(site: CallSite, name: str) -> str:
    made = site.brief
    if made.endswith("..."):
        made = f"{site.callee}(...)"
    return (
        f"Close it when its work is done, also when something fails: put the code that uses it "
        f"under `with {made} as {name}:`, or call {name}.close() in a "
        "finally block. Not after tf.app.run(), which never returns."
    )


def _stored(found: list[ast.Name]) -> Iterator[str]:
    """Attributes the session is put into: ``self.sess = sess``."""
    for use in found:
        around = parent(use)
        if isinstance(around, ast.Assign):
            yield from (item.attr for item in around.targets if isinstance(item, ast.Attribute))


def _is_closed(site: CallSite, name: str) -> bool:
    """Whether this file, or one that imports it, closes something of that name."""
    file = site.file
    for module in (file.module, *file.resolver.project.importers(file.path)):
        for reference in module.index.references:
            if not isinstance(reference, ast.Attribute):
                continue
            closed = reference.value if reference.attr == "close" else None
            if isinstance(parent(reference), ast.withitem):
                closed = reference
            if name == last_name(closed):
                return True
    return False


def _attribute(site: CallSite, target: ast.Attribute) -> Diagnoses:
    file = site.file
    if _is_closed(site, target.attr):
        return
    spelled = file.text(target)
    for call in file.calls("npu.close_session", "npu.shutdown_resource"):
        if any(file.text(argument) == spelled for argument in call.node.args):
            return
    text = f"{spelled} is opened here and never closed"
    if _lasts(site):
        yield _at_exit(site, text, spelled)
        return
    owner = class_around(target)
    where = f"to {owner.name} " if owner is not None else ""
    yield RULE.manual(
        site,
        text,
        todo=(
            f"Add a method {where}that calls {spelled}.close(), and call it where the object has "
            "done its work, in a finally block."
        ),
        cause=site.path,
    )


def _last_use(assignment: ast.Assign, found: list[ast.Name]) -> ast.stmt | None:
    """The last statement of the block that uses the session; None when a use is outside of it."""
    block, owner = block_of(assignment), parent(assignment)
    start = last = place_in(block, assignment) or 0
    for use in found:
        holder = next((item for item in (use, *ancestors(use)) if parent(item) is owner), None)
        place = None if holder is None else place_in(block, holder)
        if place is None or place <= start:
            return None
        last = max(last, place)
    return block[last]


def _is_endless(assignment: ast.Assign, last: ast.stmt) -> bool:
    """Whether a loop before the end of the last use never ends, so that nothing comes after it."""
    block = block_of(assignment)
    return any(
        isinstance(node, ast.While)
        and isinstance(node.test, ast.Constant)
        and bool(node.test.value)
        and not list(_jumps(node.body))
        for node in block[place_in(block, assignment) : (place_in(block, last) or 0) + 1]
    )


def _add_close(fix: Fix, name: str, assignment: ast.Assign, last: ast.stmt) -> bool:
    """Write the close after the last use; False where control may leave before it."""
    block = block_of(assignment)
    start, end = place_in(block, assignment) or 0, place_in(block, last) or 0
    lines = {block[end + 1].lineno} if end + 1 < len(block) else set()
    owner = parent(assignment)
    if last.end_lineno in lines or getattr(owner, "lineno", 0) == assignment.lineno:
        return False  # several statements on one line
    leaving = list(_jumps(block[start + 1 : end + 1]))
    if not leaving:
        fix.insert_after(last, f"{name}.close()")
        return True
    if leaving == [last] and isinstance(last, ast.Return) and last.value is not None:
        result = fix.fresh("result")
        begin = fix.module.start(last)
        fix.replace_range(begin, begin + len("return"), f"{result} =")
        fix.insert_after(last, f"{name}.close()\nreturn {result}")
        return True
    return False


def _jumps(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that leave the block before its end."""
    for node in statements:
        yield from _jumps_in(node, in_loop=False)


def _jumps_in(node: ast.AST, in_loop: bool) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Return) or (
        isinstance(node, (ast.Break, ast.Continue)) and not in_loop
    ):
        yield node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    loop = in_loop or isinstance(node, LOOPS)
    for child in ast.iter_child_nodes(node):
        yield from _jumps_in(child, loop)
