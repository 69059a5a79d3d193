"""Training steps that run operator by operator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.source.module import Module
from ascendify.source.nodes import class_around, function_around, last_name, values_given
from ascendify.source.scopes import ancestors, parent
from ascendify.source.values import Class, Function, Object

RULE = Rule(
    code="TF2-FUNC-4",
    title="Compile training steps with tf.function",
    why=(
        "A step that computes gradients outside of tf.function is sent to the NPU one operator at "
        "a time, which is many times slower than a graph."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "def step(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = network(x)\n"
        "    return tape.gradient(loss, network.trainable_variables)\n"
        "for x in batches:\n"
        "    step(x)"
    ),
    after=(
        "@tf.function\n"
        "def step(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = network(x)\n"
        "    return tape.gradient(loss, network.trainable_variables)\n"
        "for x in batches:\n"
        "    step(x)"
    ),
    safety=(
        "Python code in a function runs when it is traced, not at every step; values such as "
        "tensor.numpy() are not there."
    ),
)

_KERAS_STEPS = frozenset({"train_step", "test_step", "call", "make_train_function"})
"""Methods of Keras models that Keras compiles."""
_MAX_DEPTH = 4
_SIDE_EFFECTS = frozenset({"numpy", "append", "extend", "write", "item", "tolist", "save"})
"""Methods that need values, or do something that a graph would do once."""
_PLAIN = frozenset(
    f"builtins.{name}"
    for name in ("zip", "len", "range", "tuple", "list", "dict", "isinstance", "super",
                 "enumerate", "hasattr", "getattr")
)  # fmt: skip
_FRAMEWORKS = ("tf2.", "tf.", "keras.", "tensorflow", "official.", "npu_device.", "horovod.",
               "functools.")  # fmt: skip
"""Beginnings of names whose calls become part of a graph, or compute the same each time."""


@RULE.call("tf2.GradientTape")
def mend_step(site: CallSite) -> Diagnoses:
    """The first ``with tf.GradientTape()`` of every function that nobody compiles."""
    if in_test(site.file, site.node) or site.file.path.endswith(".ipynb"):
        return
    function = function_around(site.node)
    if isinstance(function, ast.Lambda) or _is_later(site, function):
        return
    if function is None:
        yield RULE.manual(
            site,
            f"{site.brief} at the outermost level runs operator by operator",
            todo="Put the step into a function that is decorated with tf.function.",
            effort=Effort.MINUTES,
        )
        return
    if _is_compiled(site.file, site.file.module, function, _MAX_DEPTH):
        return
    found = f"{function.name} computes gradients operator by operator"
    name = site.file.text(site.node.func).rpartition(".")[0]
    if name and _may_decorate(site.file, function) and _gets_tensors(site.file, function):
        fix = site.fix()
        fix.insert_before(function, f"@{name}.function")
        yield RULE.auto_check(
            site,
            found,
            done=f"Decorated {function.name} with {name}.function.",
            todo="See that a step gives the same loss as before; the first one takes longer.",
            fix=fix,
        )
        return
    yield RULE.manual(
        site,
        found,
        todo=(
            f"Decorate {function.name}, or the part of it that a step repeats, with tf.function; "
            "take printing, .numpy() and lists out of that part."
        ),
        effort=Effort.HOURS,
    )


def _is_later(site: CallSite, function: ast.AST | None) -> bool:
    """Whether another tape comes before this one in the same function."""
    return any(
        other.node.lineno < site.node.lineno and function_around(other.node) is function
        for other in site.file.calls("tf2.GradientTape")
    )


def _is_compiled(
    file: File, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, depth: int
) -> bool:
    """Whether a function is compiled: by its own decorator, by Keras, or because its caller is."""
    other = file.of(module)
    if _is_decorated(other, function) or _is_keras_step(other, function):
        return True
    if _is_given_away(other, function):
        return True
    if depth <= 0:
        return True  # too far away to be certain
    callers = [
        (caller, owner)
        for caller, call, _ in file.resolver.callers(Function(module, function))
        if (owner := function_around(call)) is not None
    ]
    return any(
        not isinstance(owner, ast.Lambda) and _is_compiled(file, caller, owner, depth - 1)
        for caller, owner in callers
    )


def _is_decorated(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator is tf.function, or something that may be."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = file.name(called)
        if name not in ("builtins.staticmethod", "builtins.classmethod", "builtins.property"):
            return True
    return any(_is_decorated(file, outer) for outer in _outer(function))


def _outer(function: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    around = function_around(parent(function))
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield around


def _is_keras_step(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    cls = class_around(function)
    if cls is None:
        return False
    bases = file.resolver.external_bases(Class(file.module, cls))
    layer = any(types.is_a(base, "tf2.keras.layers.Layer") for base in bases)
    return layer or (function.name in _KERAS_STEPS and not bases)


def _is_given_away(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is passed to something, such as tf.function or strategy.run."""
    for call in file.module.index.calls:
        for given in values_given(call):
            name = given.attr if isinstance(given, ast.Attribute) else getattr(given, "id", "")
            if name == function.name:
                return True
    return False


def _may_decorate(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function does the same as a graph: nothing but tensors in and out.

    Models and optimizers that it is given make variables at their first use, which a function
    may do once only.
    """
    if not isinstance(function, ast.FunctionDef) or isinstance(parent(function), ast.ClassDef):
        return False
    arguments = function.args
    if arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        return False
    parameters = {item.arg for item in (*arguments.posonlyargs, *arguments.args)}
    if not parameters:
        return False
    return all(_is_plain(file, node, parameters) for node in ast.walk(function))


def _is_plain(file: File, node: ast.AST, parameters: set[str]) -> bool:
    effects = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.Try, ast.Raise,
               ast.For, ast.While, ast.If, ast.Delete, ast.AugAssign)  # fmt: skip
    if isinstance(node, effects):
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
        return False
    if not isinstance(node, ast.Call):
        return True
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr in _SIDE_EFFECTS:
        return False
    root = called
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in parameters:
        return False  # a model or an optimizer that is passed
    return _is_graph_call(file, node)


def _is_graph_call(file: File, call: ast.Call, depth: int = _MAX_DEPTH) -> bool:
    """Whether a call means the same in a graph, as far as its function can be seen.

    What NumPy, ``random`` or ``time`` give is computed once, when the function is traced: noise
    would be the same at every step.
    """
    name = file.name(call.func) or ""
    if name and name not in _PLAIN and not name.startswith(_FRAMEWORKS):
        return False
    for value in file.resolver.infer(file.module, call.func):
        if isinstance(value, Object) and not file.resolver.external_bases(value.cls):
            return False  # an object of the program may keep a state
        if not isinstance(value, Function) or depth <= 0:
            continue
        other = file.of(value.module)
        inner = [item for item in ast.walk(value.node) if isinstance(item, ast.Call)]
        if any(last_name(item.func) in _SIDE_EFFECTS for item in inner):
            return False
        if not all(_is_graph_call(other, item, depth - 1) for item in inner):
            return False
    return True


def _gets_tensors(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether every call gives the function elements of what a loop goes over, and nothing else.

    A number that changes from call to call would have the function traced every time.
    """
    callers = file.resolver.callers(Function(file.module, function))
    return bool(callers) and all(
        isinstance(given, ast.Name) and _is_element(given)
        for _, call, _ in callers
        for given in values_given(call)
    )


def _is_element(name: ast.Name) -> bool:
    for loop in ancestors(name):
        if not isinstance(loop, ast.For):
            continue
        target, source = loop.target, loop.iter
        counted = isinstance(source, ast.Call) and last_name(source.func)
        if counted == "enumerate" and isinstance(target, ast.Tuple):
            target = target.elts[-1]
        elif counted in ("range", "trange", "enumerate"):
            continue
        if any(isinstance(item, ast.Name) and item.id == name.id for item in ast.walk(target)):
            return True
    return False
