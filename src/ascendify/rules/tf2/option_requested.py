"""Options that the user requested, in a program that opens the NPU already."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf2 import _npu, _program
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF2-OPT-5",
    title="Set the options that you requested before the NPU is opened",
    why=(
        "Options given to ascendify are in the generated module npu_options, which a program must "
        "call before npu_device.open()."
    ),
    statuses=(Status.AUTO_CHECK,),
    before="npu_device.open().as_default()",
    after="set_global_options()\nnpu_device.open().as_default()",
    safety="An option that the program sets itself, before this line, has the module's value then.",
)


@RULE.call(*_npu.OPENS)
def set_options(site: CallSite) -> Diagnoses:
    """Put the module's options right before the call that opens the NPU."""
    if not site.file.facts.has_options_module:
        return
    if any(_npu.SETTER in text for _, text in _program.texts(site.file)):
        return  # the generated module may be part of the project by now
    first = next(site.file.calls(*_npu.OPENS), None)
    if first is None or first.node is not site.node:
        return
    fix = site.fix()
    fix.insert_before(site.statement, f"{_npu.setter(fix)}()")
    where = function_around(site.node)
    yield RULE.auto_check(
        site,
        f"{site.brief} opens the NPU without the options that were requested",
        done="Called set_global_options() of npu_options before it.",
        todo=(
            "See which options the program sets itself"
            + (f" in {where.name}" if isinstance(where, ast.FunctionDef) else "")
            + ": those of the module come last."
        ),
        fix=fix,
    )
