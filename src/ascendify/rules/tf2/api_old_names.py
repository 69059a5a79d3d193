"""Methods and options of early TensorFlow 2 that 2.6 calls by another name."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, MethodSite, Rule, Status, names
from ascendify.rules.kit.tests import in_test
from ascendify.source.nodes import last_name, only_target

RULE = Rule(
    code="TF2-API-5",
    title="Use the names that TensorFlow 2.6 has for early methods",
    why=(
        "npu_device is built for TensorFlow 2.6. Strategies lost experimental_run_v2 before, and "
        "options of datasets lost auto_shard: using them is an AttributeError there."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="losses = strategy.experimental_run_v2(step, args=(batch,))",
    after="losses = strategy.run(step, args=(batch,))",
)

_NEW = {"experimental_run_v2": "run"}
"""Old and new name of methods that take the same arguments."""
_SHARD = "auto_shard"
_POLICIES = {True: "AUTO", False: "OFF"}
"""What a switch of TensorFlow 2.0 is as a policy of later releases."""


@RULE.method(*_NEW)
def rename(site: MethodSite) -> Diagnoses:
    """``strategy.experimental_run_v2(step, args=(batch,))``."""
    if in_test(site.file, site.node):
        return
    fix = site.fix()
    end = site.file.module.end(site.node)
    fix.replace_range(end - len(site.name), end, _NEW[site.name])
    yield RULE.auto(
        site,
        f"{site.brief} is called {_NEW[site.name]} since TensorFlow 2.2, and gone in 2.6",
        done=f"Called it {_NEW[site.name]}.",
        fix=fix,
    )


@RULE.file
def name_policies(file: File) -> Diagnoses:
    """``options.experimental_distribute.auto_shard = False``."""
    if _SHARD not in file.module.source.text:
        return
    for item in file.module.index.of(ast.Assign):
        target = only_target(item)
        if (
            isinstance(target, ast.Attribute)
            and target.attr == _SHARD
            and last_name(target.value) == "experimental_distribute"
            and not in_test(file, item)
        ):
            yield _name_policy(file, item, target)


def _name_policy(file: File, item: ast.Assign, target: ast.Attribute) -> Diagnosis:
    site = file.at(item)
    found = f"{file.brief(target)} is a policy since TensorFlow 2.1, and cannot be set in 2.6"
    switch = item.value.value if isinstance(item.value, ast.Constant) else None
    if not isinstance(switch, bool):
        return RULE.manual(
            site,
            found,
            todo=(
                "Use auto_shard_policy there: tf.data.experimental.AutoShardPolicy.OFF for False, "
                "AutoShardPolicy.AUTO for True."
            ),
        )
    fix = file.fix()
    end = file.module.end(target)
    fix.replace_range(end - len(_SHARD), end, f"{_SHARD}_policy")
    policy = f"data.experimental.AutoShardPolicy.{_POLICIES[switch]}"
    fix.replace(item.value, f"{names.tensorflow(fix, item)}.{policy}")
    return RULE.auto(site, found, done=f"Set auto_shard_policy to {_POLICIES[switch]}.", fix=fix)
