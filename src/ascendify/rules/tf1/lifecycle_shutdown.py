"""Lifecycle: shut down what init_resource() initialised, in code that runs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Fix, Rule, Status
from ascendify.rules.kit.statements import lone_call
from ascendify.rules.tf1._same_process import mentioned
from ascendify.source.nodes import following
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-INIT-2",
    title="Shut the NPU down in code that runs",
    why=(
        "tf.app.run() and absl's app.run() end in sys.exit(), so what stands after them never "
        "runs: the device stays busy and the other ranks wait for this one."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="tf.app.run()\nshutdown_resource(npu_sess, npu_shutdown)\nclose_session(npu_sess)",
    after=(
        "try:\n    tf.app.run()\nfinally:\n    shutdown_resource(npu_sess, npu_shutdown)\n"
        "    close_session(npu_sess)"
    ),
)

_RUNNERS = ("tf.app.run", "absl.app.run", "sys.exit")
"""Functions that never return."""
_SHUTDOWNS = (
    "npu.shutdown_resource",
    "npu.npu_ops.shutdown_system",
    "npu.npu_ops.NPUShutdown",
    "npu.npu_plugin.npu_close",
)
_CLOSERS = ("npu.shutdown_resource", "npu.close_session", "npu.npu_plugin.npu_close")
_FINISHING = (*_CLOSERS, "tf.Session.close", "tf.Session.run")
"""Calls that are allowed in the finally block."""


@RULE.call(*_RUNNERS)
def never_reached(site: CallSite) -> Diagnoses:
    """A shutdown after a call that never returns."""
    runner = site.statement
    file = site.file
    if site.parent is not runner or not isinstance(runner, ast.Expr):
        return
    tail = following(runner)
    dead = [item for item in tail if _called(file, item) in _CLOSERS]
    if not dead:
        return
    found = f"{file.brief(dead[0])} never runs: {site.callee} does not return"
    if not all(_called(file, item) in _FINISHING for item in tail) or _share_a_line(runner, tail):
        yield RULE.manual(
            site.at(dead[0]),
            found,
            todo=(
                f"Put {site.brief} into a try block and everything that shuts the NPU "
                "down into its finally block."
            ),
        )
        return
    fix = site.fix()
    _indent(fix, runner, runner, "try:")
    _indent(fix, tail[0], tail[-1], "finally:")
    done = f"Moved it into the finally block of a try around {site.brief}."
    yield RULE.auto(site.at(dead[0]), found, done=done, fix=fix)


@RULE.call("npu.init_resource")
def never_shut_down(site: CallSite) -> Diagnoses:
    """An initialisation without a shutdown."""
    file = site.file
    if mentioned(file, *_SHUTDOWNS):
        return
    found = f"nothing shuts down what {site.brief} initialises"
    statement = site.statement
    fix = site.fix()
    names: list[str] = []
    if isinstance(statement, ast.Expr) and statement.value is site.node:
        names = [fix.fresh("npu_sess"), fix.fresh("npu_shutdown")]
        start = file.module.start(statement)
        fix.replace_range(start, start, f"{names[0]}, {names[1]} = ")
    elif isinstance(statement, ast.Assign) and statement.value is site.node:
        target = statement.targets[0]
        if isinstance(target, ast.Tuple) and len(statement.targets) == 1:
            names = [item.id for item in target.elts if isinstance(item, ast.Name)]
    if len(names) != 2:
        yield RULE.manual(
            site,
            found,
            todo=(
                "Keep both results, npu_sess and npu_shutdown, and call "
                "shutdown_resource(npu_sess, npu_shutdown) and close_session(npu_sess) in a "
                "finally block around the program."
            ),
        )
        return
    register = f"{fix.use('atexit')}.register"
    close = fix.use("npu_bridge.npu_init", "close_session")
    shutdown = fix.use("npu_bridge.npu_init", "shutdown_resource")
    # the last one registered runs first
    fix.insert_after(
        site.node, f"{register}({close}, {names[0]})\n{register}({shutdown}, {', '.join(names)})"
    )
    done = "Registered shutdown_resource and close_session to run when the program ends."
    yield RULE.auto(site, found, done=done, fix=fix)


def _called(file: File, node: ast.stmt) -> str | None:
    """The function that a statement calls, if it is a single call."""
    call = lone_call(node)
    return None if call is None else file.name(call.func)


def _share_a_line(runner: ast.stmt, tail: list[ast.stmt]) -> bool:
    statements = [runner, *tail]
    owner = parent(runner)
    if not isinstance(owner, ast.Module) and getattr(owner, "lineno", 0) == runner.lineno:
        return True
    return any(one.end_lineno == two.lineno for one, two in zip(statements, statements[1:]))


def _indent(fix: Fix, first: ast.stmt, last: ast.stmt, header: str) -> None:
    """Put lines below a header, one level deeper."""
    source = fix.module.source
    unit, newline = fix.indent_unit, source.newline
    for number in range(first.lineno, (last.end_lineno or last.lineno) + 1):
        start = source.line_starts[number - 1]
        if number == first.lineno:
            fix.replace_range(start, start, f"{fix.module.indent(first)}{header}{newline}{unit}")
        elif source.line(number).strip():
            fix.replace_range(start, start, unit)
