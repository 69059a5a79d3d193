"""model_deploy of slim: one clone of the model, one process a device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test_case
from ascendify.rules.tf1 import _towers
from ascendify.source.nodes import keyword_value
from ascendify.source.values import Class, Ref

RULE = Rule(
    code="TF1-TOWER-2",
    title="Deploy one clone and start one process a device",
    why=(
        "model_deploy clones the model onto every GPU of one process. A process drives one NPU, so "
        "all clones would be built on the same device."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="config = model_deploy.DeploymentConfig(num_clones=4)",
    after="config = model_deploy.DeploymentConfig(num_clones=1)",
    safety="The batch size of a clone becomes that of a device.",
)

_RECIPE = (
    "Start one process a device, each with its share of the data; the optimizer in "
    "npu_distributed_optimizer_wrapper() averages gradients between them."
)


@RULE.file
def one_clone(file: File) -> Diagnoses:
    """Set the number of clones to one where it can be told."""
    for call in file.module.index.calls_by_name.get("DeploymentConfig", ()):
        if not _is_deployment(file, call) or in_test_case(file, call):
            continue
        given = keyword_value(call, "num_clones")
        if given is None and call.args:
            given = call.args[0]
        if given is not None:
            yield from _one(file, call, given)


def _one(file: File, call: ast.Call, given: ast.expr) -> Diagnoses:
    found = f"{file.brief(call.func)} clones the model onto {file.brief(given)} GPUs of one process"
    count = _towers.count(file, given)
    if count is None or (count.module is not file.module and not count.is_one):
        where = "" if count is None else f" in {count.module.path}"
        todo = f"Use one clone: num_clones=1{where}. {_RECIPE}"
        yield RULE.manual(file.at(call), found, todo=todo)
        return
    if count.is_one:
        if count.is_option:
            todo = f"Keep {count.option}. {_RECIPE}"
            yield RULE.info(file.at(call), found, todo=todo)
        return
    fix = file.fix()
    _towers.set_one(fix, count)
    what = f"the default of {count.name}" if count.is_option else "the number of clones"
    done = f"Set {what} to 1."
    yield RULE.auto_check(file.at(call), found, done=done, todo=_RECIPE, fix=fix)


def _is_deployment(file: File, call: ast.Call) -> bool:
    """Whether the class is that of slim's model_deploy, in the project or outside."""
    return any(
        (isinstance(value, Ref) and value.name.endswith("model_deploy.DeploymentConfig"))
        or (isinstance(value, Class) and value.module.path.endswith("model_deploy.py"))
        for value in file.resolver.infer(file.module, call.func)
    )
