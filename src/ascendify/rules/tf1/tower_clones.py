"""model_deploy of slim: deploy one clone of the model in one process per device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test_case
from ascendify.rules.tf1 import _towers
from ascendify.source.nodes import keyword_value
from ascendify.source.values import Class, Ref

RULE = Rule(
    code="TF1-TOWER-2",
    title="Deploy one clone and start one process per device",
    why=(
        "model_deploy clones the model onto every GPU of one process. A process drives one NPU, so "
        "all clones would be built on the same device."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="config = model_deploy.DeploymentConfig(num_clones=4)",
    after="config = model_deploy.DeploymentConfig(num_clones=1)",
    safety="The batch size of a clone is now that of a device.",
)


@RULE.file
def one_clone(file: File) -> Diagnoses:
    """Set the number of clones to one where its literal is found."""
    for call in file.module.index.calls_by_name.get("DeploymentConfig", ()):
        if not _is_deployment(file, call) or in_test_case(file, call):
            continue
        given = keyword_value(call, "num_clones")
        if given is None and call.args:
            given = call.args[0]
        if given is None:
            continue
        clones, func = file.brief(given), file.brief(call.func)
        found = f"{func} clones the model onto {clones} GPUs of one process"
        yield from _towers.set_to_one(
            RULE, file, file.at(call), found, given, "the number of clones", _towers.recipe(file)
        )


def _is_deployment(file: File, call: ast.Call) -> bool:
    """Whether the class is that of slim's model_deploy, in the project or outside."""
    return any(
        (isinstance(value, Ref) and value.name.endswith("model_deploy.DeploymentConfig"))
        or (isinstance(value, Class) and value.module.path.endswith("model_deploy.py"))
        for value in file.resolver.infer(file.module, call.func)
    )
