"""Names of communication backends, and the functions and parameters that take them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import FUNCTIONS, positional_parameters
from ascendify.source.scopes import parent
from ascendify.source.values import Class, Function

INIT = "torch.distributed.init_process_group"
GET = "torch.distributed.get_backend"
SINKS = {
    INIT: 0,
    "torch.distributed.new_group": 2,
    "torch.distributed.new_subgroups": 3,
    "torch.distributed.new_subgroups_by_enumeration": 2,
    "torch.distributed.Backend": 0,
    "torch.distributed.BackendConfig": 0,
    "torch.distributed.is_backend_available": 0,
    "deepspeed.init_distributed": 0,
    "deepspeed.comm.init_distributed": 0,
}
"""Functions that take a backend, and its position among their arguments."""
_PARAMETERS = ("backend", "dist_backend")
_DEVICE = r"(?:(?:cpu|cuda|npu):)?"
_NAMES = "nccl|hccl|gloo|mpi|ucc|lccl"
_BACKENDS = re.compile(rf"{_DEVICE}(?:{_NAMES})(?:,{_DEVICE}(?:{_NAMES}))*", re.I)


def is_nccl(value: object) -> bool:
    """Whether a value is a backend in torch's notation that contains NCCL."""
    return (
        isinstance(value, str)
        and "nccl" in value.lower()
        and _BACKENDS.fullmatch(value.strip()) is not None
    )


def is_composite(value: object) -> bool:
    """Whether a value names a backend for each type of device: ``cpu:gloo,cuda:nccl``."""
    return isinstance(value, str) and ":" in value


def says_backend(name: str) -> bool:
    """Whether the name of a variable, option or key contains the word backend."""
    return "backend" in name.lower()


def hccl(text: str) -> str:
    """A text with HCCL instead of NCCL."""
    return text.replace("nccl", "hccl").replace("NCCL", "HCCL")


def last_word(node: ast.AST) -> str:
    """The last component of a name, attribute, call or subscript with a literal key."""
    if isinstance(node, ast.Call):
        return last_word(node.func)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return getattr(node, "attr", getattr(node, "id", getattr(node, "arg", "")))


def passed_names(resolver: Resolver, module: Module) -> frozenset[str]:
    """Names whose values a file passes as a backend."""
    found: set[str] = set()
    for call in module.index.calls:
        names, _ = resolver.names(module, call.func)
        for name in names:
            if name in SINKS:
                found.update(map(last_word, given(call, SINKS[name])))
    return frozenset(word for word in found if word)


def given(call: ast.Call, index: int) -> Iterator[ast.expr]:
    """The backend that a call gets, by name or by position."""
    for keyword in call.keywords:
        if keyword.arg in _PARAMETERS:
            yield keyword.value
    if len(call.args) > index and not any(isinstance(item, ast.Starred) for item in call.args):
        yield call.args[index]


def parameter(file: File, function: ast.expr, index: int) -> str:
    """The parameter of a function of the project that gets an argument, by its position."""
    for value in file.resolver.infer(file.module, function):
        target: object = value.node if isinstance(value, Function) else None
        if isinstance(value, Class):
            methods = (item for item in value.node.body if getattr(item, "name", "") == "__init__")
            target = next(methods, None)
        if isinstance(target, FUNCTIONS):
            names = [item.arg for item in positional_parameters(target)]
            bound = isinstance(parent(target), ast.ClassDef)
            if index + bound < len(names):
                return names[index + bound]
    return ""


def is_reported(file: File, node: ast.expr) -> bool:
    """Whether an expression is the backend of a group as torch.distributed reports it."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "upper"):
            return is_reported(file, node.func.value)
        if file.name(node.func) == "builtins.str" and node.args:
            return is_reported(file, node.args[0])
        return file.name(node.func) == GET
    if isinstance(node, ast.Name):
        values = [item.value for item in backward.bindings(node)]
        return bool(values) and all(
            isinstance(value, ast.Call) and is_reported(file, value) for value in values
        )
    return False
