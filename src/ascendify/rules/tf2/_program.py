"""Programs of a project: which files are run, what they compute, and where their work begins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.keras import _script_run
from ascendify.rules.kit import File
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf2 import _idle_sessions, _npu, _state
from ascendify.source.module import Module
from ascendify.source.nodes import DEFINITIONS, last_name

_COMPUTES = re.compile(
    r"\b(?:tf_)?keras\b|\bofficial\.|\bGradientTape\b|\b(?:tf|tensorflow)\.(?:function|Variable|Module|saved_model|nn)\b"
    r"|\btensorflow_hub\b|\bestimator\b|\.trainable_variables\b|\bplaceholder\("
    r"|\btensorflow_addons\b"
)
"""Names in programs that train or run a model, but not in programs that prepare data."""
_DATA = (
    "tf2.config.",
    "tf2.io.", "tf2.data.", "tf2.image.", "tf2.strings.", "tf2.audio.", "tf2.sparse.",
    "tf2.ragged.", "tf2.constant", "tf2.cast", "tf2.convert_to_tensor", "tf2.reshape",
    "tf2.expand_dims", "tf2.squeeze", "tf2.concat", "tf2.stack", "tf2.shape", "tf2.Tensor.",
    "tf2.random.", "tf2.math.",
    *(f"{root}.train.{name}" for root in ("tf", "tf2") for name in (
        "Example", "Feature", "SequenceExample", "BytesList", "Int64List", "FloatList",
    )),
    "tf.io.", "tf.python_io.", "tf.gfile.", "tf.data.", "tf.image.", "tf.set_random_seed",
)  # fmt: skip
"""Calls in programs that prepare data on the host."""
_TEST_RUNNERS = ("tf2.test.main", "tf.test.main", "unittest.main", "absl.testing.absltest.main")
_PARSERS = re.compile(
    r"\w*pars\w*_?(?:arg|cmd|command|flag|opt)\w*|get_(?:args|arguments|flags|options|opts)"
    r"|parse_known_args|docopt"
)
"""Functions that read the command line."""
_IMPORTS_TENSORFLOW = re.compile(r"^\s*(?:import|from)\s+(?:tensorflow|keras)\b", re.M)
_ESTIMATOR_NAMES = (
    "Estimator", "RunConfig", "train_and_evaluate",
    *(f"{network}{task}" for network in ("DNN", "Linear", "DNNLinearCombined", "BoostedTrees",
                                         "Baseline") for task in ("Classifier", "Regressor",
                                                                  "Estimator")),
)  # fmt: skip
_SESSIONS = (
    "tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTrainingSession",
    "tf.train.Supervisor", "tf.train.MonitoredSession", "tf.train.SingularMonitoredSession",
    *(f"tf.estimator.{name}" for name in _ESTIMATOR_NAMES),
)  # fmt: skip
GRAPH_SWITCHES = ("tf.disable_v2_behavior", "tf.disable_eager_execution")
"""Functions that switch eager execution off."""
SESSIONS = (*_SESSIONS, *GRAPH_SWITCHES)
"""Functions that only programs with graphs and sessions of compat.v1 call."""
ESTIMATORS = tuple(f"tf2.estimator.{name}" for name in _ESTIMATOR_NAMES)
_RUNS = (
    *(f"tf2.keras.Model.{name}" for name in (
        "fit", "evaluate", "predict", "fit_generator", "evaluate_generator", "predict_generator",
        "train_on_batch", "test_on_batch", "predict_on_batch",
    )),
    "tf2.GradientTape", "tf2.keras.optimizers.Optimizer.apply_gradients",
    "tf2.keras.optimizers.Optimizer.minimize",
    *_SESSIONS, *ESTIMATORS,
)  # fmt: skip
"""Calls that train or run a model."""


def is_run(file: File) -> bool:
    """Whether a file is run by people: an entry point, a notebook, or a script without a guard."""
    if file.module.source.text.lstrip().startswith("#!") and file.is_entry:
        return not is_test(file)
    if file.is_entry or file.path.endswith(".ipynb"):
        return not is_test(file)
    if file.stem == "__init__" or file.resolver.project.is_imported(file.path):
        return False
    names = _script_run.follow(file, top_level(file.module)).names
    runs = any(name in _RUNS for name in names)
    if not runs and _has_effects(file):
        runs = any(map(_state.makes_variables, names))
    return runs and not is_test(file)


def _has_effects(file: File) -> bool:
    """Whether a file does more than define names, and is no module of a package."""
    if file.resolver.project.has(_package(file.path)):
        return False  # it may be imported by name
    return any(
        isinstance(item, (ast.For, ast.While, ast.With))
        or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Call))
        for item in top_level(file.module)
    )


def _package(path: str) -> str:
    """The file that makes the folder of a file a package."""
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}__init__.py"


def is_test(file: File) -> bool:
    """Whether a file holds tests."""
    folders = file.path.split("/")[:-1]
    named = file.stem.startswith("test_") and ("tests" in folders or "test" in folders)
    return named or in_test(file, file.module.tree) or any(file.calls(*_TEST_RUNNERS))


def texts(file: File) -> Iterator[tuple[str, str]]:
    """Path and text of a file and of all that it imports from the project."""
    project = file.resolver.project
    pending, seen = [file.path], {file.path}
    while pending:
        path = pending.pop()
        own = path == file.path
        text = file.module.source.text if own else project.read(path).decode("utf-8", "replace")
        yield path, text
        new = [item for item in project.imports(path, text) if item not in seen]
        seen.update(new)
        pending.extend(new)


def computes(file: File) -> bool:
    """Whether a program may train or run a model; one that only reads and writes data does not."""
    if any(_state.is_touching(name) and not name.startswith(_DATA) for name in _reached(file)):
        return True
    return any(_COMPUTES.search(text) for _, text in texts(file))


def mentions_models(text: str) -> bool:
    """Whether a text mentions both TensorFlow and names that train or run a model."""
    return bool(_IMPORTS_TENSORFLOW.search(text)) and names_model(text)


def names_model(text: str) -> bool:
    """Whether a text mentions names that train or run a model."""
    return _COMPUTES.search(text) is not None


def calls(file: File, *names: str) -> Iterator[tuple[Module, ast.Call]]:
    """Calls of these names in a program: in its own file or in files that it imports."""
    lasts = {name.rpartition(".")[2] for name in names}
    for path, text in texts(file):
        if not any(last in text for last in lasts):
            continue
        module = file.module if path == file.path else file.resolver.project.module(path)
        if module is not None:
            for site in file.of(module).calls(*names):
                yield module, site.node


def is_opened(file: File) -> bool:
    """Whether a program opens the NPU, or sets it up for sessions, already."""
    return any(True for _ in calls(file, *_npu.OPENS, *_npu.ENABLES_V1))


def runs_sessions(file: File) -> bool:
    """Whether a program is made of graphs and sessions of compat.v1, or of their Estimators."""
    reached = _reached(file).intersection(SESSIONS)
    if not reached or not reached.issubset(_idle_sessions.NAMES):
        return bool(reached)
    return not all(
        _idle_sessions.is_idle(file.of(module), call)
        for module, call in calls(file, *_idle_sessions.NAMES)
    )


def runs_estimators(file: File) -> bool:
    """Whether a program trains Estimators of TensorFlow 2 itself."""
    return not _reached(file).isdisjoint(ESTIMATORS)


def _reached(file: File) -> set[str]:
    """The names outside the project that a program calls, as far as its calls can be followed."""
    return _script_run.follow(file, file.module.tree.body).names


def first_session(file: File) -> ast.AST | None:
    """The first call of a file that is typical of graphs and sessions."""
    return next((site.node for site in file.calls(*SESSIONS)), None)


def begins(file: File, item: ast.stmt) -> bool:
    """Whether a program's work begins at a statement, and the statements before it only prepare."""
    if isinstance(item, DEFINITIONS) or _state.is_guard(item):
        return True
    names = _script_run.follow(file, [item]).names
    return any(_state.is_touching(name) or name.startswith("tf.disable_") for name in names)


def opens(file: File, item: ast.stmt) -> bool:
    """Whether running a statement opens the NPU."""
    return not _script_run.follow(file, [item]).names.isdisjoint(_npu.OPENS)


def opening(file: File) -> tuple[list[ast.stmt], ast.stmt] | None:
    """The statement that opens the NPU, among those that a program runs once."""
    block = _script_run.main_block(
        file, lambda run: _reaches(run) or not run.names.isdisjoint(_npu.OPENS)
    )
    found = next((item for item in block if opens(file, item)), None)
    return None if found is None else (block, found)


@dataclass(frozen=True)
class ProgramStart:
    """Where a program's work begins."""

    block: list[ast.stmt]
    """The statements among which the place is."""
    after: ast.stmt | None
    """The statement right before the place; None for the beginning of the block."""
    first: ast.stmt
    """The first statement behind it that reaches TensorFlow."""
    before: ast.stmt | None = None
    """The import that the NPU must be opened before, if that decides the place."""
    reason: str = ""
    """A phrase that says why the place is so early."""


def place(file: File) -> ProgramStart | None:
    """Where a program opens the NPU; None where nothing in it reaches TensorFlow.

    Before the first statement that reaches TensorFlow, and behind imports, behind the parsing of
    the command line and behind environment variables, which may choose the device.
    """
    early = _early(file)
    if early is not None:
        return early
    block = _script_run.main_block(file, _reaches)
    if block is not file.module.tree.body and _lost_above(file) is not None:
        block = file.module.tree.body
    first = next((number for number, item in enumerate(block) if _state.touches(file, item)), None)
    if first is None and (block is file.module.tree.body or not _may_compute(file)):
        return None
    behind = [item for item in block[:first] if is_before(file, item)]
    return ProgramStart(block, behind[-1] if behind else None, block[first or 0])


def _may_compute(file: File) -> bool:
    """Whether a file mentions names that train or run a model, wherever they are called."""
    return mentions_models(file.module.source.text)


def _reaches(run: _script_run.ScriptRun) -> bool:
    return any(_state.is_touching(name) for name in run.names)


def _early(file: File) -> ProgramStart | None:
    """The place before an import of a module that makes variables as soon as it is imported."""
    project = file.resolver.project
    if project.is_imported(file.path):
        return None
    for item in file.module.tree.body:
        if isinstance(item, (ast.Import, ast.ImportFrom)):
            for path in project.imports(file.path, file.module.segment(item)):
                found = _state.lost_at_import(file, path)
                if found is not None:
                    module, node, _ = found
                    made = " ".join(module.segment(node).split())
                    made = made if len(made) <= 40 else made[:37] + "..."
                    why = f"{module.path} runs {made} on line {node.lineno} when it is imported"
                    return ProgramStart(file.module.tree.body, None, item, item, why)
    return None


def _lost_above(file: File) -> ast.stmt | None:
    """A statement at the outermost level that makes variables before the main function runs."""
    guarded = any(_state.is_guard(item) for item in file.module.tree.body)
    if not guarded or file.resolver.project.is_imported(file.path):
        return None
    for item in top_level(file.module):
        if _state.lost(file, item) and not _state.setting(file, item):
            return item
    return None


def top_level(module: Module) -> list[ast.stmt]:
    """The statements that run when a file is imported."""
    return [
        item
        for item in module.tree.body
        if not _state.is_guard(item)
        and not isinstance(item, (*DEFINITIONS, ast.Import, ast.ImportFrom))
    ]


def settings_above(file: File, place: ProgramStart) -> list[ast.stmt]:
    """Seeds and settings at the outermost level that run before a place in a function."""
    if place.block is file.module.tree.body:
        return []
    return [item for item in top_level(file.module) if _state.setting(file, item)]


def is_before(file: File, item: ast.stmt) -> bool:
    """Whether a statement must be before the opening: an import, an argument, a variable."""
    if isinstance(item, (ast.Import, ast.ImportFrom)):
        return True
    if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
        return True  # the docstring
    if isinstance(item, ast.Try):
        return any(isinstance(part, (ast.Import, ast.ImportFrom)) for part in item.body)
    if isinstance(item, DEFINITIONS):
        return False
    return any(_parses(part) or _sets_variable(file, part) for part in ast.walk(item))


def _parses(node: ast.AST) -> bool:
    """``parser.parse_args()``, ``FLAGS(sys.argv)``."""
    if not isinstance(node, ast.Call):
        return False
    given = node.args[0] if node.args else None
    argv = isinstance(given, ast.Attribute) and given.attr == "argv"
    return _PARSERS.fullmatch(last_name(node.func)) is not None or argv


def _sets_variable(file: File, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return (file.name(node.func) or "") in ("os.putenv", "os.environ.setdefault")
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, (ast.Store, ast.Del))
        and file.name(node.value) == "os.environ"
    )


def sets_variable_in(file: File, item: ast.stmt) -> bool:
    """Whether a statement sets an environment variable."""
    return any(_sets_variable(file, part) for part in ast.walk(item))
