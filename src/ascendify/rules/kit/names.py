"""The name under which a file imports a framework: ``tf`` mostly, at the top or in a function."""

from __future__ import annotations

import ast

from ascendify.rules.fix import Fix
from ascendify.rules.site import File
from ascendify.source.nodes import position
from ascendify.source.scopes import Scope, scope_of

_TENSORFLOW = frozenset({"tensorflow", "tensorflow.compat.v1"})


def of_both(*names: str) -> tuple[str, ...]:
    """Names of TensorFlow 1 and what TensorFlow 2 calls the same things, each once.

    What was experimental there may be public here, so both spellings are given. The tables of
    TensorFlow 2 are not consulted: files for other frameworks do not need them.
    """
    tf2 = [f"tf2{name[len('tf') :]}" for name in names]
    public = [name.replace(".experimental.", ".") for name in tf2]
    return tuple(dict.fromkeys((*names, *tf2, *public)))


def of_either(name: str | None) -> str | None:
    """A name of either TensorFlow, as TensorFlow 1 would spell it."""
    return f"tf.{name[4:]}" if name is not None and name.startswith("tf2.") else name


def local_name(node: ast.AST, origins: frozenset[str] = _TENSORFLOW) -> str | None:
    """The name that surely holds one of these modules at a node; None where none is imported."""
    use = scope_of(node)
    scope: Scope | None = use
    while scope is not None:
        for local, bindings in scope.bindings.items():
            imported = all(item.kind == "import" and item.origin in origins for item in bindings)
            if not (bindings and imported and use.find(local) is scope):
                continue
            if scope.kind == "module" or position(bindings[0].node) < position(node):
                return local
        scope = scope.parent
    return None


def tensorflow(fix: Fix, node: ast.AST) -> str:
    """The file's own name for TensorFlow at a node; imports it if there is none."""
    return local_name(node) or fix.use("tensorflow")


def torch(file: File, fix: Fix, node: ast.AST) -> str:
    """The file's own name for torch at a node; imports it if there is none."""
    local = local_name(node, frozenset({"torch"}))
    if local is None and scope_of(node).find("torch") is None:
        starred = next(iter(file.module.index.module.reads.get("torch", ())), None)
        local = "torch" if starred is not None and file.name(starred) == "torch" else None
    return local or fix.use("torch")
