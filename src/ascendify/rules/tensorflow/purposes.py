"""Purpose of an input pipeline: training, evaluation and prediction, or both."""

from __future__ import annotations

import ast
import enum
import math
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ascendify.rules.kit import File
from ascendify.rules.tensorflow.datasets import chain
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import (
    functions_around,
    is_called,
    is_inside,
    last_name,
    only_target,
    receiver,
    string,
    values_given,
)
from ascendify.source.scopes import FunctionNode, ancestors, parent, scope_of, statement
from ascendify.source.values import Const, Function, Ref


class Purpose(enum.Enum):
    """What the samples of a pipeline are used for."""

    TRAIN = "training"
    EVAL = "evaluation"
    """Evaluation or prediction: every sample counts."""
    BOTH = "training and evaluation"
    UNKNOWN = "unknown"


_TRAIN = frozenset({"train", "training", "trainer", "pretrain", "pretraining", "finetune", "fit"})
_EVAL = frozenset(
    {
        "eval", "evals", "evaluate", "evaluation", "evaluator", "evaluating", "val", "valid",
        "validate", "validation", "test", "testing", "predict", "prediction", "predictions",
        "predictor", "infer", "inference", "inferring", "dev",
    }
)  # fmt: skip
_TAKERS = {
    "TrainSpec": Purpose.TRAIN,
    **dict.fromkeys(("EvalSpec", "evaluate", "predict"), Purpose.EVAL),
}
"""Calls that take an input function -> the purpose they use it for."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SWITCH = re.compile(
    r"(?:is|for|do|in|npu)_?(?:train|eval|test|pred|infer|valid)\w*|training|train|evaluation|"
    r"(?:\w+_)?(?:mode|phase|split|subset|partition|stage)|(?:split|subset|mode|phase)_name|"
    r"eval_?only|test_?mode|flags?|(?:is_|do_|should_)?shuffle"
)
"""Names of parameters and attributes that distinguish training from evaluation."""
_OPPOSITE = {Purpose.TRAIN: Purpose.EVAL, Purpose.EVAL: Purpose.TRAIN, Purpose.BOTH: Purpose.BOTH}
_MAX_DEPTH = 3
_MOST_LOOKED_AT = 200
"""Limit for generated pipelines, which chain thousands of calls: this many names and nodes decide.
"""


def purpose(file: File, node: ast.expr) -> Purpose:
    """What the pipeline of a dataset call is used for, by the code around it.

    In this order: a call of an estimator that takes it, the branch it is in, the names it is
    assigned to and made from, the names and mode parameters of the functions around it, their
    callers, the class and the file, and that only training shuffles.
    """
    found = _of(file.resolver, file.module, node, _MAX_DEPTH)
    if found is not Purpose.UNKNOWN:
        return found
    outer = _of_surroundings(file, node)
    if outer is not Purpose.UNKNOWN:
        return outer
    shuffled = any(getattr(call.func, "attr", "") == "shuffle" for call in chain(node))
    return Purpose.TRAIN if shuffled else Purpose.UNKNOWN


def is_endless(file: File, node: ast.Call) -> bool:
    """Whether the dataset a call is made on repeats for ever, so that no batch is the last one."""
    return _repeats(file, receiver(node), frozenset())


def _repeats(file: File, node: ast.expr | None, seen: frozenset[ast.AST]) -> bool:
    """Whether a dataset repeats for ever, on every way by which a variable may get it."""
    if node is None or node in seen:
        return False
    if isinstance(node, ast.Name):
        values = [backward.assigned(item) for item in backward.definitions(node)]
        return bool(values) and all(_repeats(file, item, seen | {node}) for item in values)
    if not isinstance(node, ast.Call):
        return False
    given = values_given(node)
    if getattr(node.func, "attr", "") == "repeat" and (
        not given or (len(given) == 1 and file.literal(given[0]) in ((None,), (-1,)))
    ):
        return True
    return _repeats(file, receiver(node), seen | {node})


def said(name: str) -> Purpose | None:
    """The purpose that an identifier names: ``x_train``, ``evalInputFn``, ``ModeKeys.PREDICT``."""
    words = {word.lower() for word in _WORD.findall(name)}
    trains, evaluates = bool(words & _TRAIN), bool(words & _EVAL)
    if trains and evaluates:
        return Purpose.BOTH
    if trains:
        return Purpose.TRAIN
    return Purpose.EVAL if evaluates else None


def branch(test: ast.expr) -> Purpose | None:
    """The purpose of code under ``if test:``; None when the test is about something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = branch(test.operand)
        return None if inner is None else _OPPOSITE[inner]
    if isinstance(test, ast.BoolOp):
        found = [item for item in map(branch, test.values) if item is not None]
        if isinstance(test.op, ast.Or) and len(found) < len(test.values):
            return None
        return _merged(found) if found else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test)
    if isinstance(test, ast.Call):
        return branch(test.func)
    if isinstance(test, (ast.Name, ast.Attribute)):
        return said(last_name(test))
    return None


def training_switch(node: ast.AST) -> ast.expr | None:
    """An expression that is true where a pipeline is built for training, as the program has it.

    It is the condition of a branch of the functions around, which nothing but parameters and
    names of modules decide, so that it means the same wherever it stands in them.
    """
    for function in functions_around(node):
        for item in ast.walk(function):
            if (
                isinstance(item, (ast.If, ast.IfExp))
                and branch(item.test) is Purpose.TRAIN
                and _is_stable(item.test, function)
            ):
                return item.test
    return None


def _is_stable(test: ast.expr, function: FunctionNode) -> bool:
    """Whether a condition consists of parameters, which nothing changes, and imported names."""
    if not isinstance(test, (ast.Name, ast.Compare)):
        return False
    if isinstance(test, ast.Compare) and not isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return False
    parts = list(ast.walk(test))
    if any(isinstance(item, (ast.Call, ast.Subscript, ast.Lambda)) for item in parts):
        return False
    names = [item for item in parts if isinstance(item, ast.Name)]
    return all(_binds_once(item, function) for item in names)


def _binds_once(name: ast.Name, function: FunctionNode) -> bool:
    found = backward.bindings(name)
    if len(found) != 1:
        return False
    if found[0].kind == "import":
        return scope_of(name).find(name.id) is not scope_of(function)
    return isinstance(found[0].node, ast.arg)


def is_switch(name: str) -> bool:
    """Whether a parameter of this name chooses between training and evaluation."""
    return _SWITCH.fullmatch(name.lower().lstrip("_")) is not None


def only_training_shuffles(file: File, test: ast.expr) -> bool:
    """Whether a parameter that says whether to shuffle is true for training and for that alone.

    So ``if shuffle:`` is the branch of training, as far as all visible calls show.
    """
    if not isinstance(test, ast.Name) or not test.id.lower().endswith("shuffle"):
        return False
    found = backward.bindings(test)
    if len(found) != 1 or not isinstance(found[0].node, ast.arg):
        return False
    given = list(_switched(file.resolver, file.module, found[0].node, _MAX_DEPTH))
    return bool(given) and all(
        used_for is (Purpose.TRAIN if value is True else Purpose.EVAL) and isinstance(value, bool)
        for value, used_for in given
    )


def _switched(
    resolver: Resolver, module: Module, parameter: ast.arg, depth: int
) -> Iterator[tuple[object, Purpose]]:
    """What calls give for a switch, and what each of them is for; None for what is not seen."""
    function = scope_of(parameter).node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or depth == 0:
        yield None, Purpose.UNKNOWN
        return
    for caller, call, bound in resolver.callers(Function(module, function)):
        value = backward.given_or_default(call, parameter, function, bound)
        found = backward.bindings(value) if isinstance(value, ast.Name) else []
        if len(found) == 1 and isinstance(found[0].node, ast.arg):
            yield from _switched(resolver, caller, found[0].node, depth - 1)
        elif isinstance(value, ast.Constant):
            yield value.value, _of(resolver, caller, call, depth)
        else:
            yield None, Purpose.UNKNOWN


def _compared(test: ast.Compare) -> Purpose | None:
    sides = (test.left, test.comparators[0])
    for side, other in (sides, sides[::-1]):
        if isinstance(other, ast.Constant) and isinstance(other.value, bool):
            found = branch(side)
            right = other.value is isinstance(test.ops[0], (ast.Eq, ast.Is))
            return found if found is None or right else _OPPOSITE[found]
    values = [item for side in sides for item in _mode_values(side)]
    if not values:
        return None
    found = _merged(values)
    if isinstance(test.ops[0], (ast.Eq, ast.Is, ast.In)):
        return found
    # anything but prediction may be training or evaluation
    return Purpose.EVAL if found is Purpose.TRAIN else Purpose.BOTH


def _mode_values(node: ast.expr) -> list[Purpose]:
    """Purposes named by the values a mode is compared with: ``'train'``, ``ModeKeys.EVAL``."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [item for element in node.elts for item in _mode_values(element)]
    name = string(node) or ""
    if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node).isupper():
        name = last_name(node)
    found = said(name)
    return [] if found is None else [found]


def _merged(found: Iterable[Purpose]) -> Purpose:
    distinct = set(found)
    if not distinct:
        return Purpose.UNKNOWN
    return distinct.pop() if len(distinct) == 1 else Purpose.BOTH


def _of(resolver: Resolver, module: Module, node: ast.AST, depth: int) -> Purpose:
    near = (
        _by_taker(node)
        or _by_branch(node)
        or _by_names(node)
        or _by_variable(resolver, module, node)
    )
    if near is not None:
        return near
    functions = list(functions_around(node))
    for function in functions:
        found = _by_function(resolver, module, function)
        if found is not None:
            return found
    if depth:
        for function in functions:
            found = _by_use(resolver, module, function, depth - 1)
            if found is not Purpose.UNKNOWN:
                return found
    return Purpose.UNKNOWN


def _by_taker(node: ast.AST) -> Purpose | None:
    """The purpose of the call of an estimator that takes a pipeline, also inside a lambda.

    It says more than the branch: a branch that trains often evaluates as well.
    """
    for ancestor in islice(ancestors(node), _MOST_LOOKED_AT):
        if isinstance(ancestor, ast.stmt):
            return None
        if isinstance(ancestor, ast.Call) and last_name(ancestor.func) in _TAKERS:
            return _TAKERS[last_name(ancestor.func)]
    return None


def _by_branch(node: ast.AST) -> Purpose | None:
    below = node
    for ancestor in ancestors(node):
        if isinstance(ancestor, (ast.If, ast.IfExp)):
            found = branch(ancestor.test)
            bodies = ancestor.body if isinstance(ancestor.body, list) else [ancestor.body]
            if found is not None and below in bodies:
                return found
            if found is not None and below is not ancestor.test:
                exact = not isinstance(ancestor.test, ast.Compare) or found is Purpose.TRAIN
                return _OPPOSITE[found] if exact else Purpose.BOTH
        below = ancestor
    return None


def _by_names(node: ast.AST) -> Purpose | None:
    """The purpose that names suggest: of the variable, the parameter, or the called function."""
    for ancestor in islice(ancestors(node), _MOST_LOOKED_AT):
        found = None
        if isinstance(ancestor, ast.keyword) and ancestor.arg and not is_switch(ancestor.arg):
            found = said(ancestor.arg)
        elif isinstance(ancestor, ast.Call):
            found = said(last_name(ancestor.func))
        elif isinstance(ancestor, ast.Assign):
            found = _all_say(
                name for target in ancestor.targets for name in _names_in(target, modes=True)
            )
        elif isinstance(ancestor, ast.stmt):
            break
        if found is not None:
            return found
        if isinstance(ancestor, ast.stmt):
            break
    return _all_say(islice(_names_in(node), _MOST_LOOKED_AT))


def _by_variable(resolver: Resolver, module: Module, node: ast.AST) -> Purpose | None:
    """The purpose named by the calls that take the variable: ``model.evaluate(dataset)``."""
    target = only_target(statement(node))
    if not isinstance(target, ast.Name):
        return None
    scope = scope_of(target).find(target.id)
    known = resolver.once(_kept_handings, module)
    key = (id(scope), target.id)
    if key not in known:
        known[key] = [
            (said_there, read.lineno)
            for read in reads(target)
            if not isinstance(parent(read), ast.Attribute)
            for said_there in _handed_to(read)
        ]
    until = _given_again(target)
    found = {said_there for said_there, line in known[key] if target.lineno < line <= until}
    return _merged(found) if found else None


def _given_again(target: ast.Name) -> float:
    """The line at which the same block gives a variable another value; endless without one."""
    scope = scope_of(target).find(target.id)
    block = parent(statement(target))
    if scope is None or isinstance(block, (ast.For, ast.While)):
        return math.inf
    lines = (
        binding.node.lineno
        for binding in scope.bindings[target.id]
        if isinstance(binding.node, (ast.stmt, ast.expr))
        and binding.node.lineno > target.lineno
        and parent(statement(binding.node)) is block
    )
    return min(lines, default=math.inf)


def _kept_handings(
    resolver: Resolver, module: Module
) -> dict[tuple[int, str], list[tuple[Purpose, int]]]:
    """Cache: variable -> the purposes of the calls that take it, with their lines."""
    return {}


def _handed_to(reference: ast.expr) -> Iterator[Purpose]:
    """The purpose named by the innermost call that takes a reference as an argument."""
    below: ast.AST = reference
    for ancestor in ancestors(reference):
        if isinstance(ancestor, ast.stmt):
            return
        name = ""
        if isinstance(ancestor, ast.Call) and below is not ancestor.func:
            name = last_name(ancestor.func)
        elif isinstance(ancestor, ast.keyword) and not is_switch(ancestor.arg or ""):
            name = ancestor.arg or ""
        found = said(name)
        if found is not None:
            yield found
            return
        below = ancestor


def _names_in(node: ast.AST, modes: bool = False) -> Iterator[str]:
    """Names that an expression uses, except inside lambdas; names of modes only where wanted."""
    pending: list[ast.AST] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Lambda):
            continue
        text = string(item) or ""
        name = last_name(item) or (text if text.isidentifier() else "")
        if name and (modes or not is_switch(name)):
            yield name
        if isinstance(item, ast.keyword) and item.arg and is_switch(item.arg):
            continue
        pending.extend(ast.iter_child_nodes(item))


def _all_say(names: Iterable[str]) -> Purpose | None:
    found = [item for item in map(said, names) if item is not None]
    return _merged(found) if found else None


def _by_function(resolver: Resolver, module: Module, function: FunctionNode) -> Purpose | None:
    if isinstance(function, ast.Lambda):
        return None
    named = said(function.name)
    if named is not None:
        return named
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if is_switch(argument.arg):
            return _by_values(resolver, module, argument)
    for item in ast.walk(function):
        if isinstance(item, (ast.If, ast.IfExp)) and branch(item.test) is not None:
            return Purpose.BOTH
    return None


def _by_values(resolver: Resolver, module: Module, parameter: ast.arg) -> Purpose:
    """The purpose named by the values that callers give for a mode parameter."""
    found: list[Purpose] = []
    for value in backward.passed_values(resolver, module, parameter):
        meant: Purpose | None = None
        if isinstance(value, Const) and isinstance(value.value, bool):
            meant = said(parameter.arg)
            if meant is not None and not value.value:
                meant = _OPPOSITE[meant]
        elif isinstance(value, Const) and isinstance(value.value, str):
            meant = said(value.value)
        elif isinstance(value, Ref):
            meant = said(value.name.rpartition(".")[2])
        found.append(Purpose.BOTH if meant is None else meant)
    return _merged(found) if found else Purpose.BOTH


def _by_use(resolver: Resolver, module: Module, function: FunctionNode, depth: int) -> Purpose:
    """The purpose of the places where a function is called or passed on."""
    if isinstance(function, ast.Lambda):
        return Purpose.UNKNOWN
    found: set[Purpose] = set()
    for caller, call, _ in resolver.callers(Function(module, function)):
        if not is_inside(call, function):
            found.add(_of(resolver, caller, call, depth))
    for reader in (module, *resolver.project.importers(module.path)):
        for reference in reader.index.ending(frozenset({function.name})):
            if not _is_neutral(reference):
                values = resolver.infer(reader, reference)
                if Function(module, function) in values:
                    found.add(_of(resolver, reader, reference, depth))
    if found - {Purpose.UNKNOWN}:
        return _merged(found) if Purpose.UNKNOWN not in found else Purpose.BOTH
    return Purpose.UNKNOWN


def _is_neutral(reference: ast.expr) -> bool:
    """Whether a reference says nothing: a call, handled elsewhere, or ``return input_fn``."""
    owner = parent(reference)
    return isinstance(owner, ast.Return) or is_called(reference)


def _of_surroundings(file: File, node: ast.AST) -> Purpose:
    for ancestor in ancestors(statement(node)):
        if isinstance(ancestor, ast.ClassDef):
            found = said(ancestor.name)
            if found is not None:
                return found
    return said(file.stem) or Purpose.UNKNOWN
