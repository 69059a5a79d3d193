"""What a function's definition says about its calls."""

from __future__ import annotations

import ast

from ascendify.source.nodes import last_name
from ascendify.source.scopes import FunctionNode, parent

CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")


def is_method(node: FunctionNode) -> bool:
    """Whether its first parameter is the object it is called on."""
    return isinstance(parent(node), ast.ClassDef) and not decorated(node, "staticmethod")


def decorated(node: FunctionNode, *names: str) -> bool:
    """Whether it has one of these decorators, from any module."""
    return any(last_name(item) in names for item in getattr(node, "decorator_list", ()))


def takes_class(node: FunctionNode) -> bool:
    """Whether a method's first parameter is the class itself."""
    return decorated(node, "classmethod") or getattr(node, "name", "") in CLASS_METHODS


def is_abstract(node: FunctionNode) -> bool:
    """Whether a method is there to be written anew by subclasses, so that its body says nothing."""
    last = node.body[-1] if isinstance(node.body, list) else None
    return (
        isinstance(last, ast.Raise)
        or (isinstance(last, ast.Expr) and getattr(last.value, "value", None) is Ellipsis)
        or decorated(node, "abstractmethod")
    )
