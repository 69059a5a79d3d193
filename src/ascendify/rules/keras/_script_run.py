"""What a script does with Keras when it runs, including the functions of the project it calls.

Starts at the statements that run once (the main guard, the function an app runner calls, or the
module itself) and follows calls into functions, methods and constructors of other files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ascendify.catalog import types
from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import DEFINITIONS, FUNCTIONS, keyword_value, values_given
from ascendify.source.scopes import ancestors, parent, scope_of
from ascendify.source.values import UNKNOWN, Class, Function, Member, Object, Ref, Value

METHODS = (
    "fit", "fit_generator", "train_on_batch", "test_on_batch", "evaluate", "evaluate_generator",
    "predict", "predict_generator", "predict_on_batch",
)  # fmt: skip
TRAINING = frozenset(f"tf.keras.Model.{method}" for method in METHODS)
"""Calls that run a model."""
_GUESSED = frozenset({"fit", "fit_generator", "train_on_batch"})
"""Methods that are taken for training on objects of unknown type."""
OWN_SESSIONS = frozenset(
    {"tf.keras.backend.set_session", "npu.set_keras_session_npu_config", "tf.InteractiveSession"}
)
CLEARS = frozenset({"tf.keras.backend.clear_session", "npu.npu_clear_session"})
_ESTIMATORS = ("tf.estimator.Estimator.train", "tf.estimator.train_and_evaluate",
               "tf.keras.estimator.model_to_estimator", "npu.NPUEstimator.train",
               "npu.keras_to_npu.")  # fmt: skip
_BUILDERS = (
    "tf.keras.layers.", "tf.keras.models.", "tf.keras.applications.", "tf.keras.optimizers.",
    "tf.keras.Model", "tf.keras.Sequential", "tf.keras.Input", "tf.keras.utils.multi_gpu_model",
    "tf.keras.backend.variable", "tf.keras.backend.placeholder", "tf.keras.backend.constant",
    "tf.keras.backend.zeros", "tf.keras.backend.ones", "tf.keras.backend.function",
)  # fmt: skip
"""Calls that add something to the graph or to the session's variables."""
_OPTIMIZING = ("tf.train.", "tf.contrib.", "npu.")
_APPLYING = (".minimize", ".apply_gradients", ".learning.train", ".training.train")
_RUNNERS = ("tf.app.run", "absl.app.run", "fire.Fire", "sys.exit", "builtins.exit")
_CALLED = tuple(f".{method}" for method in METHODS)
_USES = re.compile(r"\.(?:" + "|".join(METHODS) + r")\s*\(")
_MAX_NODES = 400
"""How many functions and statements are followed at most."""


@dataclass
class ScriptRun:
    """What a script does with Keras, with all it calls."""

    training: list[tuple[Module, ast.Call]] = field(default_factory=list)
    """Calls that surely run a model."""
    guesses: list[tuple[Module, ast.Call]] = field(default_factory=list)
    """Calls like ``x.fit(...)`` where nothing is known of ``x``."""
    names: set[str] = field(default_factory=set)
    """Everything outside the project that is called."""
    own_session: bool = False
    estimator: bool = False
    builds: bool = False

    def add(self, other: ScriptRun) -> None:
        """Add what another part of the script does."""
        self.training.extend(other.training)
        self.guesses.extend(other.guesses)
        self.names |= other.names
        self.own_session |= other.own_session
        self.estimator |= other.estimator
        self.builds |= other.builds

    @property
    def leads_to_keras(self) -> bool:
        """Whether something of Keras is added to the graph."""
        return self.builds or bool(self.training)

    @property
    def trains(self) -> bool:
        """Whether gradients are applied, by Keras, an estimator or an optimizer."""
        return (
            bool(self.training)
            or self.estimator
            or any(name.startswith(_OPTIMIZING) and name.endswith(_APPLYING) for name in self.names)
        )


def is_builder(name: str) -> bool:
    """Whether a call adds something of Keras to the graph."""
    return name.startswith(_BUILDERS)


def may_train(file: File) -> bool:
    """Whether a file or one it imports mentions Keras, and one of them runs a model."""
    project, own = file.resolver.project, file.module.source.text
    if "keras" not in own and not _others(project.reached_with(file.path, "keras"), file):
        return False
    if _USES.search(own) is not None and file.resolver.once(_has_run, file.module):
        return True
    for path in _others(project.reached_with(file.path, *_CALLED), file):
        module = project.module(path)
        if module and file.resolver.once(_has_run, module):
            return True
    return False


def _others(paths: Iterable[str], file: File) -> list[str]:
    return [path for path in paths if path != file.path]


def _has_run(resolver: Resolver, module: Module) -> bool:
    """Whether a call of the module runs a Keras model, or may train one."""
    for method in METHODS:
        for call in module.index.calls_by_name.get(method, ()):
            names, certain = resolver.names(module, call.func)
            if not TRAINING.isdisjoint(names) or (method in _GUESSED and not certain):
                return True
    return False


def main_block(
    file: File, wanted: Callable[[ScriptRun], bool] = lambda run: run.leads_to_keras
) -> list[ast.stmt]:
    """The statements a script runs once, down to the function that does what is wanted.

    By default that is the function that builds with Keras.
    """
    guards = (node for node in file.module.tree.body if isinstance(node, ast.If))
    block = next((node.body for node in guards if _is_guard(node)), file.module.tree.body)
    for _ in range(4):
        target = _delegated_to(file, block, wanted)
        if target is None:
            return block
        block = target.body
    return block


def _is_guard(node: ast.If) -> bool:
    return (
        isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )


def _delegated_to(
    file: File, block: list[ast.stmt], wanted: Callable[[ScriptRun], bool]
) -> ast.FunctionDef | None:
    """The function of the file that does the work of a block: ``main()``, ``app.run(main)``."""
    doing = [item for item in block if wanted(follow(file, [item]))]
    if len(doing) != 1:
        return None  # the block itself does part of the work
    found = doing[0]
    if not isinstance(found, (ast.Expr, ast.Assign, ast.Return)):
        return None
    call = found.value
    if not isinstance(call, ast.Call):
        return None
    name = file.name(call.func)
    while _is_runner(name):
        handed = _runs(file, call)
        if not isinstance(handed, ast.Call):
            return handed
        call, name = handed, file.name(handed.func)
    for value in file.resolver.infer(file.module, call.func):
        if isinstance(value, Function) and value.module is file.module:
            return _only_called_here(file, value)
    return None


def _runs(file: File, runner: ast.Call) -> ast.FunctionDef | ast.Call | None:
    """The function that an app runner calls: the one it is given, or else ``main``."""
    given = keyword_value(runner, "main")
    if given is None and runner.args:
        given = runner.args[0]
    if isinstance(given, ast.Call):
        return given
    if given is None:
        return _main(file.module)
    for value in file.resolver.infer(file.module, given):
        if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
            return value.node if value.module is file.module else None
    return None


def _main(module: Module) -> ast.FunctionDef | None:
    """The function that app runners call when they are given none."""
    bindings = module.index.module.bindings.get("main", [])
    node = bindings[0].node if bindings else None
    return node if isinstance(node, ast.FunctionDef) else None


def _is_runner(name: str | None) -> bool:
    return name in _RUNNERS or (name or "").endswith("app.run")


def _only_called_here(file: File, function: Function) -> ast.FunctionDef | None:
    node = function.node
    if not isinstance(node, ast.FunctionDef) or not isinstance(parent(node), ast.Module):
        return None
    return node if len(file.resolver.callers(function)) == 1 else None


def leads_to_keras(file: File, node: ast.stmt) -> bool:
    """Whether running a statement adds something of Keras to the graph."""
    return follow(file, [node]).leads_to_keras


def follow(file: File, block: Iterable[ast.stmt]) -> ScriptRun:
    """Everything some statements do, functions of the project they call included."""
    resolver = file.resolver
    run = ScriptRun()
    seen: set[ast.AST] = set()
    pending: list[tuple[Module, ast.AST]] = [
        (file.module, node) for node in block if not isinstance(node, DEFINITIONS)
    ]
    while pending and len(seen) < _MAX_NODES:
        module, node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        step = resolver.remembered((_Step, node), partial(_Step, resolver, module, node))
        run.add(step.run)
        pending.extend((function.module, function.node) for function in step.enters)
    return run


class _Step:
    """What one statement or function body does by itself, and the functions it calls."""

    def __init__(self, resolver: Resolver, module: Module, node: ast.AST) -> None:
        self.run = ScriptRun()
        self.enters: list[Function] = []
        body: Any = node.body if isinstance(node, FUNCTIONS) else node
        for item in body if isinstance(body, list) else [body]:
            for call in _calls(item):
                self._call(resolver, module, call)

    def _call(self, resolver: Resolver, module: Module, call: ast.Call) -> None:
        values = resolver.infer(module, call.func)
        for value in values:
            if isinstance(value, (Ref, Member)):
                self._external(resolver, module, call, value.name)
            else:
                self._enter(resolver, value)
        if not values or any(value is UNKNOWN for value in values):
            attr = getattr(call.func, "attr", "")
            if attr in _GUESSED:
                self.run.guesses.append((module, call))
        for given in values_given(call):
            if isinstance(given, ast.Name) and _may_be_function(given):
                self.enters.extend(
                    value for value in resolver.infer(module, given) if isinstance(value, Function)
                )

    def _external(self, resolver: Resolver, module: Module, call: ast.Call, name: str) -> None:
        run = self.run
        run.names.add(name)
        if name in TRAINING:
            run.training.append((module, call))
            run.own_session = run.own_session or _in_session(resolver, module, call)
        elif name in OWN_SESSIONS:
            run.own_session = True
        elif name.startswith(_ESTIMATORS):
            run.estimator = True
        elif is_builder(name):
            run.builds = True
        elif _is_runner(name) and not any(isinstance(item, ast.Name) for item in call.args):
            node = _main(module)
            if node is not None:
                self.enters.append(Function(module, node))

    def _enter(self, resolver: Resolver, value: Value) -> None:
        if isinstance(value, Function):
            self.enters.append(value)
        elif isinstance(value, (Class, Object)):
            cls = value if isinstance(value, Class) else value.cls
            bases = resolver.external_bases(cls)
            if any(types.is_a(base, "tf.keras.layers.Layer") for base in bases):
                self.run.builds = True
            method = "__init__" if isinstance(value, Class) else "__call__"
            for binding in scope_of(cls.node).bindings.get(method, ()):
                if isinstance(binding.node, ast.FunctionDef):
                    self.enters.append(Function(cls.module, binding.node))


def _may_be_function(name: ast.Name) -> bool:
    """Whether a name is bound by a definition or an import: a test that costs little."""
    bindings = backward.bindings(name)
    return any(binding.kind in ("def", "import") for binding in bindings)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Calls a statement makes; of definitions inside it only the decorators and defaults count."""
    pending: list[ast.AST] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, DEFINITIONS):
            continue
        if isinstance(item, ast.Call):
            yield item
        pending.extend(ast.iter_child_nodes(item))


def _in_session(resolver: Resolver, module: Module, call: ast.Call) -> bool:
    """Whether a call is inside a ``with tf.Session(...)`` block and so runs in that session."""
    for ancestor in ancestors(call):
        if isinstance(ancestor, ast.With):
            for item in ancestor.items:
                kinds, _ = resolver.kinds(module, item.context_expr)
                if any(kind in ("tf.Session", "tf.InteractiveSession") for kind in kinds):
                    return True
    return False
