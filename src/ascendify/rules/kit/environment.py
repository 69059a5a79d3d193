"""Environment variables in Python: where the program sets, reads or defaults one, and its value."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.rules.kit import File, Site
from ascendify.source.scopes import parent, statement

CHANGES = ("os.putenv", "os.unsetenv", "os.environ.setdefault", "os.environ.pop")
REFERENCES = ("os.environ", "os.getenv", "os.environ.get", *CHANGES)
"""Every name through which programs read or change the environment."""
_METHODS = {"get": "read", "setdefault": "set", "pop": "drop", "__setitem__": "set"}
_FUNCTIONS = {"os.getenv": "read", "os.putenv": "set", "os.unsetenv": "drop"}


@dataclass(frozen=True)
class VariableUse:
    """One use of an environment variable."""

    action: str
    """set, read or drop."""
    key: ast.expr
    variable: str
    value: ast.expr | None
    """The value it is set to, or the default it is read with."""
    node: ast.expr
    """The whole expression: the subscript or the call."""

    @property
    def statement(self) -> ast.stmt:
        """The statement the use belongs to."""
        return statement(self.node)

    @property
    def is_whole_statement(self) -> bool:
        """Whether the statement does nothing but set the variable."""
        target = self.statement
        if isinstance(target, (ast.Assign, ast.Delete)):
            return target.targets == [self.node]
        return isinstance(target, ast.Expr) and target.value is self.node


def use_at(site: Site) -> VariableUse | None:
    """The use of a variable of literal name that a mention of ``os.environ`` belongs to."""
    node, owner = site.node, site.parent
    if site.name == "os.environ" and isinstance(owner, ast.Subscript) and owner.value is node:
        return _subscript(site.file, owner)
    if not (isinstance(owner, ast.Call) and owner.func is node):
        return None
    action = _FUNCTIONS.get(site.name) or _METHODS.get(site.name.rpartition(".")[2])
    if action is None or not owner.args:
        return None
    value = owner.args[1] if len(owner.args) > 1 else None
    for keyword in owner.keywords:
        value = keyword.value if keyword.arg == "default" else value
    return _use(site.file, action, owner.args[0], value, owner)


def _subscript(file: File, node: ast.Subscript) -> VariableUse | None:
    owner = parent(node)
    if isinstance(node.ctx, ast.Del):
        return _use(file, "drop", node.slice, None, node)
    if isinstance(node.ctx, ast.Load):
        return _use(file, "read", node.slice, None, node)
    value = owner.value if isinstance(owner, ast.Assign) else None
    return _use(file, "set", node.slice, value, node)


def _use(
    file: File, action: str, key: ast.expr, value: ast.expr | None, node: ast.expr
) -> VariableUse | None:
    names = file.literal(key)
    if names is None or len(names) != 1 or not isinstance(names[0], str):
        return None
    return VariableUse(action, key, names[0], value, node)
