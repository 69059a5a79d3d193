"""keras.backend.zeros: use a constant instead of a variable that nothing initialises."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, names
from ascendify.rules.tf1 import _distributed
from ascendify.source.scopes import parent, scope_of

RULE = Rule(
    code="TF1-KERAS-4",
    title="Make zeros with tf.zeros, not with keras.backend.zeros",
    why=(
        "keras.backend.zeros makes a variable, and on the NPU it stays uninitialised. Where it is "
        "only read, tf.zeros gives the same numbers."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="state = K.concatenate([x, K.zeros((4, 8))])",
    after="state = K.concatenate([x, tf.zeros((4, 8))])",
    safety="The result is a tensor: it cannot be assigned to and is not saved with the model.",
)

_UPDATES = frozenset(
    f"tf.keras.backend.{name}"
    for name in ("update", "update_add", "update_sub", "moving_average_update", "set_value",
                 "batch_set_value", "get_value", "batch_get_value")
)  # fmt: skip
"""Functions that only work on variables."""
_METHODS = frozenset({"assign", "assign_add", "assign_sub", "load", "eval", "read_value"})


@RULE.call("tf.keras.backend.zeros")
def use_constant(site: CallSite) -> Diagnoses:
    """Replace zeros that are only read by a constant; report those that are updated."""
    file = site.file
    shown = site.callee
    found = f"{shown} makes a variable that is not initialised on the NPU"
    if site.args.starred or site.args.surplus or _is_state(site):
        yield RULE.manual(
            site,
            found,
            todo=(
                "If it is updated, make it with an initial value: "
                "tf.keras.backend.variable(numpy.zeros(shape)). If it is only read, use tf.zeros."
            ),
        )
        return
    fix = site.fix()
    fix.replace(site.node.func, f"{names.tensorflow(fix, site.node)}.zeros")
    dtype = site.args.get("dtype")
    if dtype is not None and file.literal(dtype.value) == (None,):
        fix.replace(dtype.value, "'float32'")
    yield RULE.auto_check(
        site,
        found,
        done=f"Replaced {shown} by tf.zeros.",
        todo="Check that nothing assigns to it and that no checkpoint expects it.",
        fix=fix,
    )


def _is_state(site: CallSite) -> bool:
    """Whether zeros are kept as state: in an object, a list, an optimizer, or updated by name."""
    file, node = site.file, site.node
    if _distributed.in_optimizer(file, node):
        return True
    around = parent(node)
    if isinstance(around, (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.Return)):
        return True
    if isinstance(around, ast.Call) and file.name(around.func) in _UPDATES:
        return True
    if not isinstance(around, (ast.Assign, ast.AnnAssign)):
        return False
    targets = around.targets if isinstance(around, ast.Assign) else [around.target]
    return any(not isinstance(target, ast.Name) or _is_updated(file, target) for target in targets)


def _is_updated(file: File, target: ast.Name) -> bool:
    """Whether a variable is assigned to by a function or method, or leaves the function."""
    scope = scope_of(target).find(target.id)
    if scope is None or scope.kind == "class":
        return True
    for node in scope.uses(target.id):
        around = parent(node)
        if isinstance(around, ast.Attribute) and around.attr in _METHODS:
            return True
        if isinstance(around, ast.Call) and node in around.args:
            if file.name(around.func) in _UPDATES:
                return True
        elif isinstance(around, (ast.Return, ast.Tuple, ast.List, ast.Assign)):
            return True
    return False
