"""hvd.init(): initialise HCCL, the NPU's collective library, and shut it down at the end."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Fix, Rule, Site, Status
from ascendify.rules.kit.bindings import running_scope
from ascendify.rules.kit.fixes import removing
from ascendify.rules.tf1 import _npu
from ascendify.source.nodes import is_called, is_literal, values_given
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-HVD-2",
    title="Initialise and shut down the NPU where Horovod was",
    why=(
        "Rank queries and collectives need HCCL, the NPU's collective library, to be initialised, "
        "and a device that is not shut down may refuse the next run. tf.app.run() and app.run() "
        "never return, so a shutdown written after them is never reached."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="hvd.init()",
    after=(
        "npu_sess, npu_shutdown = init_resource()\n"
        "atexit.register(close_session, npu_sess)\n"
        "atexit.register(shutdown_resource, npu_sess, npu_shutdown)"
    ),
    safety=(
        "What is registered last runs first at exit: the shutdown, then the close. Where the same "
        "function also calls hvd.shutdown(), that call is replaced and nothing is registered."
    ),
)


@RULE.call(_horovod.INIT)
@_horovod.directly
def start(site: CallSite) -> Diagnoses:
    """Replace hvd.init() by init_resource() and add the shutdown."""
    file = site.file
    shown = site.brief
    if not _can_start(site):
        yield RULE.manual(
            site,
            f"{shown} chooses the ranks that take part, or its result is used",
            todo=(
                "Call init_resource() of npu_bridge.npu_init instead; all ranks of the rank table "
                "take part. Make smaller groups after it with create_group() of hccl.manage.api."
            ),
            effort=Effort.HOURS,
        )
        return
    fix = site.fix()
    session, shutdown = _names(fix)
    config = _npu.config_argument(file, fix)
    lines = [f"{session}, {shutdown} = {_npu.use(fix, 'init_resource')}({config})"]
    done = f"Replaced {shown} by init_resource()"
    if _closed_by_hand(site):
        done += "; the shutdown replaces hvd.shutdown()."
    else:
        register = f"{fix.use('atexit')}.register"
        close = _npu.use(fix, "close_session")
        stop = _npu.use(fix, "shutdown_resource")
        lines += [f"{register}({close}, {session})", f"{register}({stop}, {session}, {shutdown})"]
        done += " and registered the shutdown to run when the process ends."
    fix.replace_statement(site.node, lines)
    found = f"{shown} initialises Horovod"
    if running_scope(site.node).kind == "module" and not file.is_entry:
        yield RULE.auto_check(
            site,
            f"{found} while this module is imported",
            done=done,
            todo="Move it to the start of the script: importing this file takes a device.",
            fix=fix,
        )
        return
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.call(_horovod.SHUTDOWN)
@_horovod.directly
def stop(site: CallSite) -> Diagnoses:
    """Replace hvd.shutdown(), or remove it where a shutdown is registered already."""
    file = site.file
    found = f"{site.brief} shuts Horovod down"
    if not _horovod.is_statement(site.node):
        yield _by_hand(site, found)
        return
    fix = site.fix()
    starts = _horovod.calls(file, _horovod.INIT, running_scope(site.node))
    if any(_can_start(item) for item in starts):
        session, shutdown = _names(fix)
        lines = [
            f"{_npu.use(fix, 'shutdown_resource')}({session}, {shutdown})",
            f"{_npu.use(fix, 'close_session')}({session})",
        ]
        fix.replace_statement(site.node, lines)
        done = "Replaced it by shutdown_resource() and close_session()."
    else:
        fix.remove_statement(site.node)
        done = "Removed it: the shutdown registered beside init_resource() runs at exit."
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.reference(_horovod.SHUTDOWN)
def register(site: Site) -> Diagnoses:
    """Remove ``atexit.register(hvd.shutdown)``: the new shutdown is registered elsewhere."""
    file = site.file
    if is_called(site.node) or not _horovod.is_direct(file, site.node):
        return
    found = f"{site.text} is passed as an argument"
    call = parent(site.node)
    if (
        isinstance(call, ast.Call)
        and file.name(call.func) == "atexit.register"
        and _horovod.is_statement(call)
    ):
        fix = removing(file, call)
        done = "Removed it: the shutdown registered beside init_resource() runs at exit."
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        yield _by_hand(site, found)


def _by_hand(site: Site, found: str) -> Diagnosis:
    return RULE.manual(
        site, found, todo="Remove it; the shutdown registered beside init_resource() runs at exit."
    )


def _can_start(site: CallSite) -> bool:
    """Whether an init is a plain statement over all ranks."""
    given = values_given(site.node)
    return _horovod.is_statement(site.node) and all(is_literal(value, None) for value in given)


def _closed_by_hand(site: CallSite) -> bool:
    """Whether the function that initialises also calls hvd.shutdown(): both see the names."""
    calls = _horovod.calls(site.file, _horovod.SHUTDOWN, running_scope(site.node))
    return any(_horovod.is_statement(item.node) for item in calls)


def _names(fix: Fix) -> tuple[str, str]:
    return fix.fresh("npu_sess"), fix.fresh("npu_shutdown")
