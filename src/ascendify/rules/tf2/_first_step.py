"""Variables that the first training step makes: how to make them right before it.

A model, its optimizer and its metrics have their variables only once they are used. A broadcast
behind the first step comes too late: that step has trained each rank from weights of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from typing import cast

from ascendify.rules.kit import File, Fix
from ascendify.rules.tf2 import _traced
from ascendify.rules.tf2._steps import Call, StepLoop
from ascendify.source.flow import backward
from ascendify.source.inference.parameters import default, given, hides_arguments
from ascendify.source.nodes import (
    FUNCTIONS,
    LOOPS,
    class_around,
    function_around,
    last_name,
    position,
    positional_parameters,
)
from ascendify.source.scopes import FunctionNode, ancestors, parent, scope_of, statement
from ascendify.source.values import Class, Function, Object

_RUNS = frozenset({"run", "experimental_run_v2"})
"""Methods of a strategy that call a function with the arguments in ``args``."""
_PURE = frozenset(
    f"tf2.{name}"
    for name in ("cast", "constant", "convert_to_tensor", "expand_dims", "reshape", "transpose",
                 "squeeze", "concat", "stack", "one_hot")
)  # fmt: skip
"""Functions that may be called once more: they give the same and change nothing."""
_CHANGING = ("random.", "nn.dropout", "add_metric", ".assign", "numpy_function(", "py_function(")
"""Words in models that give something else, or change something, when they are called again."""
_DEPTH = 6


def trace(file: File, fix: Fix, step: ast.stmt) -> str | None:
    """A line that traces the ``tf.function`` of a step, which makes its variables and no more.

    It goes right before the step. What an iterator gives is taken out of the statement first, so
    that both get one batch. None where the statement does not surely call one such function.
    """
    if not isinstance(step, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return None
    calls = [item for item in ast.walk(step) if isinstance(item, ast.Call)]
    traced = [item for item in calls if _traced.is_call(file, item)]
    if len(traced) != 1 or not _runs_once(traced[0], step):
        return None
    call = traced[0]
    arguments = [*call.args, *(item.value for item in call.keywords)]
    drawn = [item for item in arguments if _is_next(file, item)]
    if len(drawn) > 1 or (drawn and sum(_is_next(file, item) for item in calls) > 1):
        return None
    if not all(_is_repeatable(file, item) for item in arguments if item not in drawn):
        return None
    line = deepcopy(call)
    line.func = ast.Attribute(line.func, "get_concrete_function", ast.Load())
    if drawn:
        batch = fix.fresh("npu_batch")
        fix.insert_before(step, f"{batch} = {file.text(drawn[0])}")
        fix.replace(drawn[0], batch)
        at = arguments.index(drawn[0])
        name = ast.Name(batch, ast.Load())
        if at < len(line.args):
            line.args[at] = name
        else:
            line.keywords[at - len(line.args)].value = name
    return ast.unparse(line)


def _runs_once(call: ast.Call, step: ast.stmt) -> bool:
    """Whether a statement surely makes a call, and once."""
    around = []
    for item in ancestors(call):
        if item is step:
            break
        around.append(item)
    unsure = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.GeneratorExp, ast.ListComp, ast.DictComp,
              ast.SetComp)  # fmt: skip
    return not any(isinstance(item, unsure) for item in around)


def _is_next(file: File, node: ast.expr) -> bool:
    """``next(iterator)`` of a variable."""
    return (
        isinstance(node, ast.Call)
        and file.name(node.func) == "builtins.next"
        and len(node.args) == 1
        and isinstance(node.args[0], (ast.Name, ast.Attribute))
    )


def _is_repeatable(file: File, node: ast.expr) -> bool:
    """Whether an expression gives the same again, and changes nothing."""
    for item in ast.walk(node):
        if isinstance(item, ast.Call):
            if (file.name(item.func) or "") not in _PURE:
                return False
        elif isinstance(item, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
    return True


def forward(
    file: File, at: ast.Call, loop: StepLoop, model: ast.expr
) -> tuple[str, ast.stmt] | None:
    """A line that calls a model as its step does, without training, and where it goes.

    ``at`` computes the gradients, and ``model`` is what the loop calls the model. None where it
    is not certain with what the step calls it, or that calling it once more changes nothing.
    """
    if loop.others or any(item.module is not file.module for item in loop.path):
        return None
    sources = at.args[1] if len(at.args) > 1 else None
    if sources is None:
        sources = next((item.value for item in at.keywords if item.arg == "sources"), None)
    inner = None if sources is None else _owner(sources)
    if inner is None or not _may_call_again(file, model):
        return None
    block = function_around(at) or file.module.tree
    found = _call_of(file, block, inner, loop.path, _DEPTH)
    if found is None:
        return None
    call, path = found
    place = _place(call, loop) if not path else loop.step
    if place is None:
        return None
    view = _View(file, function_around(call), path, place)
    arguments: list[ast.expr] = []
    for number, item in enumerate(call.args):
        if number and isinstance(item, ast.Constant) and isinstance(item.value, bool):
            if not _is_training(file, model, number):
                return None
            arguments.append(ast.Constant(False))
            continue
        seen = view.of(item, 0)
        if seen is None:
            return None
        arguments.append(seen)
    keywords: list[ast.keyword] = []
    for keyword in call.keywords:
        seen = ast.Constant(False) if keyword.arg == "training" else view.of(keyword.value, 0)
        if keyword.arg is None or seen is None:
            return None
        keywords.append(ast.keyword(keyword.arg, seen))
    told = any(item.arg == "training" for item in keywords) or len(arguments) > 1
    if not told and _parameter(file, model, "training") is not None:
        keywords.append(ast.keyword("training", ast.Constant(False)))
    return ast.unparse(ast.Call(model, arguments, keywords)), place


def _owner(sources: ast.expr) -> ast.expr | None:
    """The model in ``model.trainable_variables``, through a variable."""
    if isinstance(sources, ast.Name):
        value = backward.only_value(sources)
        return None if value is None or isinstance(value, ast.Name) else _owner(value)
    return sources.value if isinstance(sources, ast.Attribute) else None


def _call_of(
    file: File, block: ast.AST, model: ast.expr, path: tuple[Call, ...], depth: int
) -> tuple[ast.Call, tuple[Call, ...]] | None:
    """The first call of a model in a block, or in a function that the block gives it to."""
    wanted = ast.dump(model)
    calls = sorted((item for item in ast.walk(block) if isinstance(item, ast.Call)), key=position)
    for call in calls:
        if ast.dump(call.func) == wanted:
            return call, path
    for call in calls if depth else ():
        handed = [item for item in call.args if ast.dump(item) == wanted]
        for value in file.resolver.infer(file.module, call.func) if handed else ():
            if isinstance(value, Function) and value.module is file.module:
                number = call.args.index(handed[0])
                parameters = positional_parameters(value.node)
                if number < len(parameters) and class_around(value.node) is None:
                    name = ast.Name(parameters[number].arg, ast.Load())
                    below = (Call(file.module, call, call), *path)
                    return _call_of(file, value.node, name, below, depth - 1)
    return None


def _place(call: ast.Call, loop: StepLoop) -> ast.stmt | None:
    """The outermost ``with`` around a call in its loop: the tape's, or else its statement."""
    found = statement(call)
    for item in ancestors(found):
        if isinstance(item, (*LOOPS, *FUNCTIONS)) or item is loop.statement:
            break
        if not isinstance(item, ast.With):
            return None
        if any(
            last_name(getattr(part.context_expr, "func", None)) == "scope" for part in item.items
        ):
            break  # of a strategy, around more than the step
        found = item
    return found


def _may_call_again(file: File, model: ast.expr) -> bool:
    """Whether calling a model once more, without training, draws no numbers and keeps nothing."""
    for cls in _classes(file, model):
        if not any(word in cls.module.segment(cls.node) for word in _CHANGING):
            continue
        for call in ast.walk(cls.node):
            if isinstance(call, ast.Call) and not _only_trains(call):
                called = ast.unparse(call.func)
                if any(word in f"{called}(" for word in _CHANGING):
                    return False
    return True


def _only_trains(node: ast.AST) -> bool:
    """Whether a node is in a branch ``if training:``."""
    below = node
    for item in ancestors(node):
        if isinstance(item, (ast.If, ast.IfExp)) and last_name(item.test) == "training":
            taken = item.body if isinstance(item.body, list) else [item.body]
            if below in taken:
                return True
        below = item
    return False


def _classes(file: File, model: ast.expr) -> Iterator[Class]:
    """The project's classes that a model is made of."""
    pending = [
        value.cls for value in file.resolver.infer(file.module, model) if isinstance(value, Object)
    ]
    seen: set[ast.AST] = set()
    while pending:
        cls = pending.pop()
        if cls.node in seen:
            continue
        seen.add(cls.node)
        yield cls
        for item in ast.walk(cls.node):
            if isinstance(item, ast.Call):
                values = file.resolver.infer(cls.module, item.func)
                pending.extend(value for value in values if isinstance(value, Class))


def _parameter(file: File, model: ast.expr, name: str) -> int | None:
    """The place of a parameter of the ``call`` of a model's own class, after ``self``."""
    for cls in _own(file, model):
        for item in cls.node.body:
            if isinstance(item, ast.FunctionDef) and item.name == "call":
                names = [argument.arg for argument in positional_parameters(item)]
                return names.index(name) - 1 if name in names else None
    return None


def _own(file: File, model: ast.expr) -> list[Class]:
    values = file.resolver.infer(file.module, model)
    return [value.cls for value in values if isinstance(value, Object)]


def _is_training(file: File, model: ast.expr, number: int) -> bool:
    """Whether the argument at a place tells a model whether it trains."""
    if not _own(file, model):
        return number == 1
    return _parameter(file, model, "training") == number


class _View:
    """Expressions of a step as the loop around it can write them."""

    def __init__(
        self, file: File, inner: FunctionNode | None, path: tuple[Call, ...], place: ast.stmt
    ) -> None:
        self.file = file
        self.inner = inner
        """The function that the first call of the path calls."""
        self.path = path
        self.place = place

    def of(self, node: ast.expr, level: int, depth: int = _DEPTH) -> ast.expr | None:
        """The expression; ``level`` counts the calls between it and the function it stands in."""
        if depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Name):
            return self._of_name(node, level, depth)
        if isinstance(node, ast.Attribute):
            value = self.of(node.value, level, depth)
            return None if value is None else ast.Attribute(value, node.attr, ast.Load())
        if isinstance(node, ast.Subscript):
            value, part = self.of(node.value, level, depth), self.of(node.slice, level, depth)
            if value is None or part is None:
                return None
            return ast.Subscript(value, part, ast.Load())
        if isinstance(node, (ast.Tuple, ast.List)):
            parts = [self.of(item, level, depth) for item in node.elts]
            return None if None in parts else type(node)(cast("list[ast.expr]", parts), ast.Load())
        if isinstance(node, ast.Call) and (self.file.name(node.func) or "") in _PURE:
            return self._of_call(node, level, depth)
        return None

    def _of_call(self, node: ast.Call, level: int, depth: int) -> ast.expr | None:
        parts = [self.of(item, level, depth) for item in node.args]
        named = [(item.arg, self.of(item.value, level, depth)) for item in node.keywords]
        func = self.of(node.func, level, depth)
        if func is None or None in parts or any(None in item for item in named):
            return None
        keywords = [ast.keyword(name, value) for name, value in named if value is not None]
        return ast.Call(func, cast("list[ast.expr]", parts), keywords)

    def _of_name(self, node: ast.Name, level: int, depth: int) -> ast.expr | None:
        scope = scope_of(node).find(node.id)
        if scope is None or scope.kind == "module":
            shown = scope_of(self.place).find(node.id)
            return node if shown is scope else None
        if scope_of(self.place).find(node.id) is scope:
            before = all(
                position(item.node) < position(self.place) for item in backward.definitions(node)
            )
            return node if before else None
        owner = self._level_of(scope.node, level)
        found = backward.definitions(node) if owner == level else backward.bindings(node)
        if owner is None or len(found) != 1:
            return None
        if isinstance(found[0].node, ast.arg):
            return self._of_parameter(found[0].node, owner, depth)
        value, rest = backward.unpacked(found[0])
        seen = None if value is None else self.of(value, owner, depth - 1)
        if seen is None:
            return None
        for number in rest:
            seen = ast.Subscript(seen, ast.Constant(number), ast.Load())
        return seen

    def _level_of(self, function: ast.AST, level: int) -> int | None:
        """Between which calls a function is on the way from the loop to the step."""
        for number in range(level, len(self.path)):
            if self._function(number) is function:
                return number
        return None

    def _function(self, number: int) -> FunctionNode | None:
        """The function that the call of this number calls."""
        return self.inner if number == 0 else function_around(self.path[number - 1].node)

    def _of_parameter(self, argument: ast.arg, number: int, depth: int) -> ast.expr | None:
        call = self.path[number]
        function = cast("FunctionNode", scope_of(argument).node)
        if call.call is None:
            value = self._handed(call, argument, function)
        elif _is_self(argument, function) and call.bound:
            return self._receiver(call.call, argument, function, number, depth)
        else:
            value = given(call.call, argument, function, call.bound)
            usual = default(function.args, argument)
            if value is None and isinstance(usual, ast.Constant) and not hides_arguments(call.call):
                return usual
        return None if value is None else self.of(value, number + 1, depth - 1)

    def _receiver(
        self, call: ast.Call, argument: ast.arg, function: FunctionNode, number: int, depth: int
    ) -> ast.expr | None:
        """What a method is called on; for one that was put into a variable, the object itself."""
        if isinstance(call.func, ast.Attribute):
            return self.of(call.func.value, number + 1, depth - 1)
        around = function_around(self.place)
        same = around is not None and class_around(around) is class_around(function)
        return ast.Name(argument.arg, ast.Load()) if same else None

    def _handed(self, call: Call, argument: ast.arg, function: FunctionNode) -> ast.expr | None:
        """What ``strategy.run(step, args=(a, b))`` gives for a parameter."""
        run = parent(call.node)
        if not isinstance(run, ast.Call) or last_name(run.func) not in _RUNS:
            return None
        if not run.args or run.args[0] is not call.node:
            return None
        args = next((item.value for item in run.keywords if item.arg == "args"), None)
        if args is None and len(run.args) > 1:
            args = run.args[1]
        parameters = positional_parameters(function)
        bound = _is_self(parameters[0], function) if parameters else False
        at = parameters.index(argument) - bound if argument in parameters else -1
        if not isinstance(args, (ast.Tuple, ast.List)) or not 0 <= at < len(args.elts):
            return None
        return None if any(isinstance(item, ast.Starred) for item in args.elts) else args.elts[at]


def _is_self(argument: ast.arg, function: FunctionNode) -> bool:
    """Whether a parameter is the object that a method is called on."""
    parameters = positional_parameters(function)
    return (
        bool(parameters)
        and parameters[0] is argument
        and isinstance(parent(function), ast.ClassDef)
    )
