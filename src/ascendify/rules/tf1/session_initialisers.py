"""Sessions: initialise variables and dataset iterators in two runs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Fix, Rule, Status
from ascendify.rules.kit.bindings import values
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name
from ascendify.source.scopes import parent, scope_of, statement

RULE = Rule(
    code="TF1-SESS-3",
    title="Initialise variables and dataset iterators in separate runs",
    why=(
        "Variables live on the NPU and dataset iterators on the host. One run that initialises "
        "both spans two sub-graphs and fails."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="sess.run([tf.global_variables_initializer(), iterator.initializer])",
    after="sess.run(tf.global_variables_initializer())\nsess.run(iterator.initializer)",
)

_VARIABLES = (
    "tf.global_variables_initializer", "tf.local_variables_initializer",
    "tf.variables_initializer", "tf.initialize_all_variables", "tf.initialize_local_variables",
    "tf.initialize_variables", "tf.tables_initializer", "tf.initialize_all_tables",
)  # fmt: skip
"""Functions that initialise variables and tables on the device."""
_ITERATORS, _DEVICE, _BOTH = "iterators", "variables", "both"
_DEPTH = 5


@RULE.call("tf.Session.run")
def split_run(site: CallSite) -> Diagnoses:
    """One run of a list, or of a group made on the spot, that initialises both."""
    fetches = site.args.value("fetches")
    items = _items(site.file, fetches)
    if fetches is None or not items:
        return
    kinds = [_kind(site.file, item, _DEPTH) for item in items]
    if _ITERATORS not in kinds or _DEVICE not in kinds:
        return
    found = f"{site.brief} initialises variables and an iterator in one run"
    plain = isinstance(site.parent, ast.Expr) and not site.args.starred
    if not plain or None in kinds or _BOTH in kinds:
        iterators = _fetch(site.fix(), _of(_ITERATORS, items, kinds))
        yield RULE.manual(
            site,
            found,
            todo=(
                "Run everything that initialises variables and tables first, then in a run of its "
                f"own {site.callee}({iterators})."
            ),
        )
        return
    first, second = _of(_DEVICE, items, kinds), _of(_ITERATORS, items, kinds)
    fix = site.fix()
    fix.insert_before(site.node, _run(site, fix, first))
    fix.replace(fetches, _fetch(fix, second))
    done = f"Split it: first {_listed(fix, first)}, then {_listed(fix, second)}."
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.call("tf.group")
def split_group(site: CallSite) -> Diagnoses:
    """Take initialisers of iterators out of a group and run them after the variables'."""
    file = site.file
    items = list(site.node.args)
    kinds = [_kind(file, item, _DEPTH) for item in items]
    if _ITERATORS not in kinds or _DEVICE not in kinds or _is_run(file, site.node):
        return
    found = f"{site.brief} initialises variables and an iterator in one run"
    runs = _runs(site, items, kinds)
    fix = site.fix()
    if runs is None or None in kinds or _BOTH in kinds:
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Take {_listed(fix, _of(_ITERATORS, items, kinds))} out of the group and run it "
                "after the variables are initialised; with a Scaffold or an Estimator, run it in "
                "after_create_session of a tf.train.SessionRunHook."
            ),
        )
        return
    kept, moved = _of(_DEVICE, items, kinds), _of(_ITERATORS, items, kinds)
    start, end = file.module.start(items[0]), file.module.end(items[-1])
    fix.replace_range(start, end, ", ".join(fix.text(item) for item in kept))
    for run in runs:
        fix.insert_after(run.node, _run(run, fix, moved))
    done = f"Took {_listed(fix, moved)} out of the group and added a run of its own after it."
    yield RULE.auto(site, found, done=done, fix=fix)


def _of(kind: str, items: list[ast.expr], kinds: list[str | None]) -> list[ast.expr]:
    """The items of one kind."""
    return [item for item, found in zip(items, kinds) if found == kind]


def _items(file: File, fetches: ast.expr | None) -> list[ast.expr]:
    if isinstance(fetches, (ast.List, ast.Tuple)):
        return list(fetches.elts)
    if isinstance(fetches, ast.Call) and file.name(fetches.func) == "tf.group":
        return [] if fetches.keywords else list(fetches.args)
    return []


def _kind(file: File, node: ast.expr, depth: int) -> str | None:
    """The kind of thing an expression initialises, None when that is not visible."""
    if depth == 0:
        return None
    if isinstance(node, ast.Attribute) and node.attr == "initializer":
        if file.is_a(node.value, "tf.data.Iterator"):
            return _ITERATORS
        return _DEVICE if file.is_a(node.value, "tf.Variable") else None
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name == "tf.data.Iterator.make_initializer":
            return _ITERATORS
        if name == "tf.group" and node.args:
            inside = {_kind(file, item, depth - 1) for item in node.args}
            return inside.pop() if len(inside) == 1 else None if None in inside else _BOTH
        return _DEVICE if name in _VARIABLES else None
    kinds = {_kind(file, value, depth - 1) for value in values(file, node)}
    return kinds.pop() if len(kinds) == 1 else None


def _is_run(file: File, group: ast.Call) -> bool:
    around = parent(group)
    return (
        isinstance(around, ast.Call)
        and around.args[:1] == [group]
        and file.name(around.func) == "tf.Session.run"
    )


def _runs(site: CallSite, items: list[ast.expr], kinds: list[str | None]) -> list[CallSite] | None:
    """The runs of the variable that holds the group; None if it has other uses."""
    target = assigned_name(site.node)
    iterators = _of(_ITERATORS, items, kinds)
    if target is None or any(isinstance(item, (ast.Call, ast.Starred)) for item in iterators):
        return None
    scope = scope_of(target)
    if len(backward.bindings(target)) != 1:
        return None
    found: list[CallSite] = []
    for use in reads(target):
        call = parent(use)
        if not (
            isinstance(call, ast.Call)
            and call.args == [use]
            and not call.keywords
            and isinstance(parent(call), ast.Expr)
            and scope_of(use) is scope
            and site.file.name(call.func) == "tf.Session.run"
            and statement(call).lineno > target.lineno
        ):
            return None
        found.append(CallSite(site.file, call, "tf.Session.run"))
    return found or None


def _run(site: CallSite, fix: Fix, items: list[ast.expr]) -> str:
    """The text of a run with the same arguments that fetches other operations."""
    rest = [
        fix.text(argument.node)
        if argument.keyword
        else f"{argument.name}={fix.text(argument.value)}"
        for argument in site.args
        if argument.name != "fetches"
    ]
    return f"{fix.text(site.node.func)}({', '.join([_fetch(fix, items), *rest])})"


def _fetch(fix: Fix, items: list[ast.expr]) -> str:
    texts = [fix.text(item) for item in items]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _listed(fix: Fix, items: list[ast.expr]) -> str:
    return ", ".join(" ".join(fix.text(item).split()) for item in items)
