"""Parts of a graph compiled by XLA: switch scopes off, report compiled functions."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TF1-XLA-2",
    title="Do not compile parts of the graph with XLA",
    why=(
        "Operators in a compiled scope become an XLA cluster that the NPU cannot run. Left to the "
        "NPU's own compiler they are fused there."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="with tf.xla.experimental.jit_scope():\n    ...",
    after="with tf.xla.experimental.jit_scope(compile_ops=False):\n    ...",
)


@RULE.call("tf.xla.experimental.jit_scope")
def scope_off(site: CallSite) -> Diagnoses:
    """Switch off ``jit_scope()``, whose compile_ops is True by default."""
    file, given = site.file, site.args.get("compile_ops")
    fix = site.fix()
    if given is None and not site.args.starred:
        fix.add_argument(site.node, "compile_ops=False")
        done = "Added compile_ops=False."
    elif given is not None and isinstance(given.value, ast.Constant):
        if not given.value.value:
            return
        fix.replace(given.value, "False")
        done = "Set compile_ops to False."
    else:
        value = "compile_ops" if given is None else file.brief(given.value)
        yield RULE.manual(
            site,
            f"{site.brief} may compile with XLA",
            todo=f"Make sure {value} is False on an NPU.",
        )
        return
    found = f"{site.brief} compiles its operators with XLA"
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.reference("tf.xla.experimental.compile")
def report_compile(site: Site) -> Diagnoses:
    """``tf.xla.experimental.compile(computation, inputs)``."""
    call = site.parent
    plain = "the function with its inputs"
    if isinstance(call, ast.Call) and call.func is site.node and call.args:
        inputs = f"*{site.file.brief(call.args[1])}" if len(call.args) > 1 else ""
        plain = f"{site.file.brief(call.args[0])}({inputs})"
    yield RULE.manual(
        site,
        f"{site.brief} compiles a function with XLA",
        todo=f"Call {plain} directly and use what it returns; the NPU compiles the whole graph.",
    )
