"""Functions that make data for training and for evaluation, and lack a parameter that says which.

Such a function gets one, and each call that makes training data gives it. The function and its
calls may be in different files, so both ask the same questions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.rules.tensorflow.purposes import Purpose, purpose
from ascendify.rules.tf2 import _data, _shards, _steps
from ascendify.source.module import Module
from ascendify.source.nodes import function_around, keyword_value, positional_parameters
from ascendify.source.scopes import parent
from ascendify.source.values import Function

NAME = "npu_training"
"""The parameter that says whether data is for training."""
_BATCHES = ("batch", "padded_batch")


def lacking(file: File, node: ast.AST) -> ast.FunctionDef | None:
    """The function around a pipeline that can get the parameter; None where it cannot.

    It can where all of its calls are seen, and each is for training or for evaluation.
    """
    function = function_around(node)
    if not isinstance(function, ast.FunctionDef) or not isinstance(parent(function), ast.Module):
        return None
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or function.decorator_list:
        return None
    uses = list(_steps.callers(file, file.module, function))
    calls = [(use.module, use.call) for use in uses if use.call is not None]
    if not uses or len(calls) < len(uses):
        return None
    found = [purpose(file.of(module), call) for module, call in calls]
    if Purpose.TRAIN not in found or not set(found) <= {Purpose.TRAIN, Purpose.EVAL}:
        return None
    return function


def untold(file: File) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
    """Calls of a file that make training data with such functions, and do not say so yet."""
    for module, function in _functions(file):
        for where, call, _ in file.resolver.callers(Function(module, function)):
            if where is not file.module or keyword_value(call, NAME) is not None:
                continue
            if purpose(file, call) is Purpose.TRAIN:
                yield call, function


def _functions(file: File) -> Iterator[tuple[Module, ast.FunctionDef]]:
    """Functions that have the parameter, or get it: of a file and of those that it imports."""
    project = file.resolver.project
    own = file.module.source.text
    for path in dict.fromkeys((file.path, *project.imports(file.path, own))):
        text = own if path == file.path else project.read(path).decode("utf-8", "replace")
        if "batch(" not in text:
            continue
        module = file.module if path == file.path else project.module(path)
        if module is None:
            continue
        other, seen = file.of(module), set()
        for call in (
            item for name in _BATCHES for item in module.index.calls_by_name.get(name, ())
        ):
            function = function_around(call)
            if not isinstance(function, ast.FunctionDef) or function in seen:
                continue
            seen.add(function)
            named = any(item.arg == NAME for item in positional_parameters(function))
            if named or _gets_it(other, call, function):
                yield module, function


def _gets_it(file: File, call: ast.Call, function: ast.FunctionDef) -> bool:
    """Whether a pipeline is divided with the parameter, as far as its own file shows."""
    if purpose(file, call) is not Purpose.BOTH or _shards.is_sharded(file, call):
        return False
    size = call.args[0] if call.args else keyword_value(call, "batch_size")
    if size is None or _data.training_switch(file, call) is not None:
        return False
    if _shards.is_joined(call, file) or lacking(file, call) is not function:
        return False
    return _shards.place(file, call, size) is not None
