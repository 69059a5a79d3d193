"""The training of a program: where gradients are computed, and which functions lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File
from ascendify.source.module import Module
from ascendify.source.nodes import function_around, last_name
from ascendify.source.scopes import FunctionNode
from ascendify.source.values import Function


@dataclass(frozen=True)
class Obstacle:
    """Why a program cannot be made to train on several devices without a person."""

    module: Module
    node: ast.AST
    found: str
    todo: str


@dataclass(frozen=True)
class Step:
    """A call that computes gradients."""

    module: Module
    call: ast.Call
    loss: ast.Name | None
    """The variable of the loss; None where it is another expression."""

    @property
    def function(self) -> FunctionNode | None:
        """The function around it; None at module level."""
        return function_around(self.call)


class TrainingSteps:
    """The steps of a program, and every function that leads to one."""

    def __init__(self, file: File, modules: dict[str, Module]) -> None:
        self.file = file
        self.modules = modules
        self.steps = [step for module in modules.values() for step in _steps(file.of(module))]
        self.sites: list[tuple[Module, ast.AST]] = []
        """The steps, and the calls of functions that lead to one."""
        self._reach()

    def _reach(self) -> None:
        pending: list[tuple[Module, ast.AST]] = [(step.module, step.call) for step in self.steps]
        seen: set[ast.AST] = set()
        while pending:
            module, node = pending.pop()
            self.sites.append((module, node))
            function = function_around(node)
            if function is None or function in seen:
                continue
            seen.add(function)
            callers = self.file.resolver.callers(Function(module, function))
            pending.extend((caller, call) for caller, call, _ in callers)

    @property
    def direct(self) -> set[FunctionNode | None]:
        """The functions in which gradients are computed; None for module level."""
        return {step.function for step in self.steps}

    def is_on_the_way(self, module: Module, node: ast.AST, depth: int = 4) -> bool:
        """Whether a node is run by a function that computes gradients, or by one that it calls."""
        function = function_around(node)
        if function in self.direct and (function is not None or self._at_top(module)):
            return True
        if function is None or depth == 0:
            return False
        callers = self.file.resolver.callers(Function(module, function))
        return any(self.is_on_the_way(caller, call, depth - 1) for caller, call, _ in callers)

    def _at_top(self, module: Module) -> bool:
        return any(step.module is module and step.function is None for step in self.steps)


def _steps(file: File) -> Iterator[Step]:
    for call in file.module.index.calls_by_name.get("backward", ()):
        if isinstance(call.func, ast.Attribute):
            yield Step(file.module, call, _loss(file, call, call.func))


def _loss(file: File, call: ast.Call, function: ast.Attribute) -> ast.Name | None:
    """``loss`` of ``scaler.scale(loss).backward()``, ``(loss / 4).backward()`` and the like."""
    node: ast.expr = function.value
    if file.name(function) == "torch.autograd.backward" and call.args:
        node = call.args[0]
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Call) and last_name(node.func) == "scale" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call) and last_name(node.func) in ("mean", "sum"):
            node = getattr(node.func, "value", None) or ast.Constant(None)
        else:
            return None
    return node
