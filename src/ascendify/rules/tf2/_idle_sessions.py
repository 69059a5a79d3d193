"""Sessions that run nothing: eager programs make one only so that its GPU options take effect."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File, removal
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name, keyword_value, last_name
from ascendify.source.scopes import parent, scope_of, statement

NAMES = ("tf.Session", "tf.InteractiveSession")
_SWITCHES = ("tf.disable_v2_behavior", "tf.disable_eager_execution")
_RUNS = (
    "tf.placeholder", "tf.get_default_session", "tf.global_variables_initializer", "tf.Graph",
    "tf.Tensor.eval", "tf.Operation.run",
)  # fmt: skip
"""What only files call that run something in a session."""


def is_idle(file: File, call: ast.Call) -> bool:
    """Whether a session runs nothing: it is only given to Keras, which takes no notice, or closed.

    With eager execution on, a session does not change how Keras and eager code run.
    """
    if any(file.calls(*_SWITCHES, *_RUNS)):
        return False
    item = statement(call)
    if isinstance(item, ast.Expr):
        return item.value is call or _is_given_to_keras(call)
    name = assigned_name(call)
    if name is None or scope_of(name).kind == "class":
        return False
    if scope_of(name).kind == "module" and file.resolver.project.importers(file.path):
        return False
    return all(_is_given_to_keras(use) or _is_closed(use) for use in reads(name))


def served(file: File, call: ast.Call) -> list[ast.stmt]:
    """The statements that can go with an idle session: its uses, and a config of its own."""
    found = [statement(call)]
    name = assigned_name(call)
    if name is not None:
        found += [statement(use) for use in reads(name)]
    config = keyword_value(call, "config")
    if isinstance(config, ast.Name):
        uses = reads(config)
        scope = scope_of(config).find(config.id)
        made = [] if scope is None else [item.node for item in scope.bindings.get(config.id, [])]
        around = [statement(use) for use in uses if use is not config]
        whole = [statement(node) for node in made]
        if all(_only_sets(file, item) for item in (*around, *whole)):
            found += [*around, *whole]
    return list(dict.fromkeys(found))


def _is_given_to_keras(node: ast.expr) -> bool:
    """``tf.compat.v1.keras.backend.set_session(sess)``."""
    owner = parent(node)
    return (
        isinstance(owner, ast.Call)
        and node in owner.args
        and last_name(owner.func) == "set_session"
        and isinstance(parent(owner), ast.Expr)
    )


def _is_closed(use: ast.Name) -> bool:
    """``sess.close()``."""
    owner = parent(use)
    call = parent(owner)
    return (
        isinstance(owner, ast.Attribute)
        and owner.attr == "close"
        and isinstance(call, ast.Call)
        and isinstance(parent(call), ast.Expr)
    )


def _only_sets(file: File, item: ast.stmt) -> bool:
    """``config = ConfigProto()`` or ``config.gpu_options.allow_growth = True``."""
    return isinstance(item, ast.Assign) and removal.is_pure(file, item.value)
