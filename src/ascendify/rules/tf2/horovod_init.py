"""hvd.init() and hvd.shutdown(): opening the NPU does the first, and its end the second."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Rule, Site, Status
from ascendify.rules.tf2._graphs import outside_graphs
from ascendify.source.nodes import is_called, is_literal, values_given
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-HVD-2",
    title="Let the opening of the NPU do what hvd.init() did",
    why=(
        "npu_device.open().as_default(), which every program gets before it uses TensorFlow, "
        "also connects the ranks of a job. Horovod is not there on an NPU."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="hvd.init()\nprint('ready')",
    after="print('ready')",
)


@RULE.call(_horovod.INIT)
@outside_graphs
def start(site: CallSite) -> Diagnoses:
    """Remove ``hvd.init()``."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    given = values_given(site.node)
    plain = _horovod.is_statement(site.node) and all(is_literal(value, None) for value in given)
    if not plain:
        yield RULE.manual(
            site,
            f"{site.brief} chooses the ranks that take part, or its result is used",
            todo=(
                "Remove it: npu_device.open().as_default() connects all ranks of the rank table. "
                "Smaller groups are made with create_group() of hccl.manage.api."
            ),
            effort=Effort.HOURS,
        )
        return
    yield _removed(
        site,
        f"{site.brief} initialises Horovod",
        "Removed it: npu_device.open().as_default() connects the ranks.",
    )


@RULE.call(_horovod.SHUTDOWN)
@outside_graphs
def stop(site: CallSite) -> Diagnoses:
    """Remove ``hvd.shutdown()``."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    found = f"{site.brief} ends Horovod"
    if _horovod.is_statement(site.node):
        yield _removed(site, found, "Removed it: the NPU is closed when the process ends.")
    else:
        yield RULE.manual(site, found, todo="Remove it: the process closes the NPU at its end.")


@RULE.reference(_horovod.SHUTDOWN)
@outside_graphs
def register(site: Site) -> Diagnoses:
    """Remove ``atexit.register(hvd.shutdown)``."""
    file, call = site.file, parent(site.node)
    if is_called(site.node) or not _horovod.is_direct(file, site.node):
        return
    found = f"{site.text} is passed on"
    if (
        isinstance(call, ast.Call)
        and file.name(call.func) == "atexit.register"
        and _horovod.is_statement(call)
    ):
        fix = site.fix()
        fix.remove_statement(call)
        done = "Removed it: the NPU is closed when the process ends."
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        yield RULE.manual(site, found, todo="Remove it: the process closes the NPU at its end.")


def _removed(site: CallSite, found: str, done: str) -> Diagnosis:
    fix = site.fix()
    fix.remove_statement(site.node)
    return RULE.auto(site, found, done=done, fix=fix)
