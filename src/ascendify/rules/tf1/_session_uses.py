"""How a program uses a session: briefly, closing it, or passing it on."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import File
from ascendify.source.flow import fate
from ascendify.source.flow.fate import Fate, Handling
from ascendify.source.scopes import Scope

_KEEPERS = ("tf.train.start_queue_runners", "tf.train.QueueRunner.create_threads")
"""Calls that keep using a session after they return."""
_BRIEF_BUILTINS = ("print", "isinstance", "str", "repr", "type", "id", "hasattr")


def _is_brief(name: str) -> bool:
    if name.startswith("builtins."):
        return name[len("builtins.") :] in _BRIEF_BUILTINS
    return name.startswith("tf.") and not types.is_class(name) and name not in _KEEPERS


_OWNERS = frozenset({"tf.keras.backend.set_session", "keras.backend.set_session"})
"""Calls that give Keras a session, which works with it until the process ends."""
_SESSION = Handling(
    closing=frozenset({"close", "__exit__"}),
    looking=frozenset({"graph", "graph_def", "sess_str"}),
    borrowing=frozenset({"run", "list_devices", "partial_run", "should_stop"}),
    entered=frozenset({"as_default"}),
    closers=frozenset({"contextlib.closing", "npu.close_session", "npu.shutdown_resource"}),
    owners=_OWNERS,
    is_brief=_is_brief,
)


def fate_of(file: File, use: ast.expr, scope: Scope) -> Fate:
    """What one use of a session variable does with the session."""
    return fate.fate(file.resolver, file.module, use, scope, _SESSION)


def is_owner(file: File, call: ast.AST) -> bool:
    """Whether a call gives Keras the session that it works with."""
    return isinstance(call, ast.Call) and file.name(call.func) in _OWNERS
