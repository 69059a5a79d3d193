"""What a call of a training project does: train, evaluate, predict, export, prepare data."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from ascendify.source.nodes import last_name, values_given

TRAINS, BUILDS, RUNS = "trains", "builds", "runs"
"""A call that updates weights; one that makes an operation for it; one that runs operations."""
EVALUATES, PREDICTS, EXPORTS, PREPARES = "evaluates", "predicts", "exports", "prepares"
AVERAGES, LOADS_BY_NAME, LOADS_BY_PATH = "averages", "loads by name", "loads by path"
"""Averages gradients of all ranks; imports or makes what a text names; runs a file that the user
names, such as one of settings."""
DIFFERENTIATES, ASSIGNS = "differentiates", "assigns"
"""A function that computes gradients and also assigns to weights has its own update rule."""

FRAMEWORKS = frozenset(
    {
        "tensorflow", "keras", "tf_keras", "tf_slim", "tensorlayer", "tflearn", "tensorpack",
        "npu_bridge", "npu_device", "torch", "torch_npu", "torchvision", "lightning",
        "pytorch_lightning", "transformers", "accelerate", "deepspeed", "fastai", "ignite",
    }
)  # fmt: skip
"""Packages that train networks; a file without any of them trains none."""

_METHODS = {
    "apply_gradients": BUILDS,
    "minimize": BUILDS,
    "optimize_loss": BUILDS,
    "create_train_op": BUILDS,
    "get_updates": BUILDS,
    "backward": TRAINS,
    "fit_generator": TRAINS,
    "fit_one_cycle": TRAINS,
    "train_on_batch": TRAINS,
    "train_and_evaluate": TRAINS,
    "continuous_train_and_eval": TRAINS,
    "gradients": DIFFERENTIATES,
    "assign": ASSIGNS,
    "assign_add": ASSIGNS,
    "assign_sub": ASSIGNS,
    "evaluate": EVALUATES,
    "evaluate_generator": EVALUATES,
    "evaluate_once": EVALUATES,
    "evaluation_loop": EVALUATES,
    "test_on_batch": EVALUATES,
    "predict": PREDICTS,
    "predict_generator": PREDICTS,
    "predict_on_batch": PREDICTS,
    "predict_classes": PREDICTS,
    "export_savedmodel": EXPORTS,
    "export_saved_model": EXPORTS,
    "simple_save": EXPORTS,
    "SavedModelBuilder": EXPORTS,
    "convert_variables_to_constants": EXPORTS,
    "freeze_graph": EXPORTS,
    "TFLiteConverter": EXPORTS,
    "from_saved_model": EXPORTS,
    "from_keras_model": EXPORTS,
    "TFRecordWriter": PREPARES,
    "imwrite": PREPARES,
    "imsave": PREPARES,
    "savez": PREPARES,
    "savez_compressed": PREPARES,
    "urlretrieve": PREPARES,
    "import_module": LOADS_BY_NAME,
    "__import__": LOADS_BY_NAME,
    "instantiate": LOADS_BY_NAME,
    "run_path": LOADS_BY_PATH,
    "load_source": LOADS_BY_PATH,
    "exec_module": LOADS_BY_PATH,
    "execfile": LOADS_BY_PATH,
    "NPUDistributedOptimizer": AVERAGES,
    "npu_distributed_optimizer_wrapper": AVERAGES,
    "npu_distributed_keras_optimizer_wrapper": AVERAGES,
    "KerasDistributeOptimizer": AVERAGES,
    "NPUStrategy": AVERAGES,
    "DistributedOptimizer": AVERAGES,
    "DistributedGradientTape": AVERAGES,
    "DistributedDataParallel": AVERAGES,
    "FullyShardedDataParallel": AVERAGES,
    "fully_shard": AVERAGES,
    "Accelerator": AVERAGES,
}
"""Calls by the last part of their name, whatever they are called on."""
_ORIGINS = (
    (re.compile(r"(tensorflow\.contrib|tf_slim)\.(slim\.)?learning\.train"), TRAINS),
    (re.compile(r"tensorflow\.contrib\.(slim\.learning|training|tpu|learn)\.train"), TRAINS),
    (re.compile(r"tensorflow\.contrib\.learn\.(learn_runner\.run|Experiment)"), TRAINS),
    (re.compile(r"(transformers|trl|peft|sentence_transformers)\b.*Trainer"), TRAINS),
    (re.compile(r"(transformers|trl)\b.*Trainer"), AVERAGES),
    (re.compile(r"(pytorch_)?lightning\b.*\bTrainer"), AVERAGES),
    (re.compile(r"deepspeed\.initialize"), AVERAGES),
    (re.compile(r"apex\.parallel\.DistributedDataParallel"), AVERAGES),
    (re.compile(r"torch\.onnx\.export|torch\.jit\.(save|trace|script)"), EXPORTS),
    (re.compile(r"(numpy|pickle|cPickle|json)\.(save|dump)"), PREPARES),
)
"""Full name of an imported function -> what its call does."""
_REDUCTIONS = frozenset(
    {"npu_allreduce", "allreduce", "allreduce_fused", "all_reduce", "all_reduce_coalesced"}
)
_GRADIENT = re.compile(r"grad|(^|_)g(s|rads?)?$", re.I)
"""Names of values that, summed over ranks, are gradients and not metrics."""
_OTHER_PACKAGES = re.compile(r"(scipy|sklearn|numpy|pandas|xgboost|lightgbm|hyperopt|skopt)\b")
_FIT_OPTIONS = frozenset(
    {
        "epochs", "nb_epoch", "n_epoch", "batch_size", "steps_per_epoch", "validation_data",
        "validation_split", "callbacks", "verbose", "datamodule", "train_dataloaders",
        "train_dataloader", "ckpt_path", "n_epochs", "max_epochs", "validation_steps",
    }
)  # fmt: skip
_ESTIMATOR_OPTIONS = frozenset({"input_fn", "max_steps", "hooks", "saving_listeners"})
_FITTED = re.compile(
    r"model|net\b|network|trainer|learn|classif|regress|autoenc|estimator|gan\b|vae|generator"
    r"|discriminator|critic|actor|combined",
    re.I,
)
_ESTIMATOR = re.compile(r"estimator|classifier|regressor|experiment", re.I)
_UPDATE = re.compile(r"train|optim|minimi[sz]|update_op|apply_grad|solver|(^|_)opt(_|$)", re.I)
"""Names of operations, run by a session, that update weights."""


@dataclass(frozen=True)
class Activity:
    """Something that a piece of code does, and where."""

    kind: str
    text: str
    """The call, shortened: ``optimizer.minimize``."""
    line: int


def activities(call: ast.Call, origin: str, packages: Container[str]) -> Iterator[Activity]:
    """Find what a call does.

    Args:
        call: The call.
        origin: The dotted name of what it calls, where that is imported; else empty.
        packages: What the file imports.
    """
    kinds = set(_kinds(call, origin, packages))
    if kinds:
        text = _short(call.func)
        yield from (Activity(kind, text, call.lineno) for kind in sorted(kinds))


def _kinds(call: ast.Call, origin: str, packages: Container[str]) -> Iterator[str]:
    if _OTHER_PACKAGES.match(origin) and not origin.startswith("numpy."):
        return
    name = last_name(call.func)
    if name in _METHODS:
        yield _METHODS[name]
    elif origin and "." in origin:
        # an alias such as DDP for DistributedDataParallel
        known = _METHODS.get(origin.rpartition(".")[2])
        if known is not None:
            yield known
    yield from _kinds_by_origin(origin)
    if name in _REDUCTIONS and any(_names_gradient(value) for value in call.args[:1]):
        yield AVERAGES
    if not isinstance(call.func, ast.Attribute):
        return
    receiver = last_name(call.func.value)
    options = {item.arg for item in call.keywords if item.arg}
    if name == "fit" and values_given(call):
        # a model of scikit-learn has the same method
        if options & _FIT_OPTIONS or ("sklearn" not in packages and _FITTED.search(receiver)):
            yield TRAINS
    elif name == "train" and values_given(call):
        if options & _ESTIMATOR_OPTIONS or _ESTIMATOR.search(receiver):
            yield TRAINS
    elif name == "step" and _UPDATE.search(receiver):
        yield BUILDS
    elif name == "run" and _runs_update(call, receiver):
        yield RUNS


def _kinds_by_origin(origin: str) -> list[str]:
    """Return what a call does by the whole name of what it calls; most call nothing imported."""
    return [kind for pattern, kind in _ORIGINS if pattern.fullmatch(origin)] if origin else []


def _names_gradient(value: ast.expr) -> bool:
    return any(_GRADIENT.search(last_name(node)) is not None for node in ast.walk(value))


def _runs_update(call: ast.Call, receiver: str) -> bool:
    """Whether a session runs an update of weights, or the update runs itself."""
    if _UPDATE.search(receiver):
        return True
    fetched = [*call.args[:1], *(item.value for item in call.keywords if item.arg == "fetches")]
    return any(
        _UPDATE.search(last_name(node) or "") is not None
        for fetch in fetched
        for node in ast.walk(fetch)
    )


def _short(node: ast.expr) -> str:
    """Return the last two parts of a call's name."""
    name = last_name(node)
    before = last_name(node.value) if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Attribute) and not before and isinstance(node.value, ast.Call):
        before = f"{last_name(node.value.func)}(...)"
    return f"{before}.{name}" if before else name
