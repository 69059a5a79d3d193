"""Arrays given to Keras: train on full batches only."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, MethodSite, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _data
from ascendify.source.flow import backward
from ascendify.source.nodes import is_literal, last_name
from ascendify.source.values import Class, Object

RULE = Rule(
    code="TF2-DATA-3",
    title="Train Keras models on arrays of whole batches",
    why=(
        "One partial batch at the end makes the batch dimension of every batch unknown to the "
        "training function, which is then compiled for dynamic shapes. Arrays whose length is a "
        "multiple of the batch size give static shapes."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    foretells=("EMU-BATCH-1",),
    before="x = np.zeros((1000, 4))\ny = np.zeros(1000)\nmodel.fit(x, y, batch_size=64)",
    after=(
        "x = np.zeros((1000, 4))\ny = np.zeros(1000)\n"
        "model.fit(x[:len(x) // 64 * 64 or None], y[:len(x) // 64 * 64 or None], batch_size=64)"
    ),
    safety=(
        "The last len(x) % (batch size) samples are left out of training. Validation, evaluation "
        "and prediction keep all of theirs."
    ),
)

_DEFAULT_BATCH = 32
_DATASET = re.compile(r"(?:^|_)(?:ds|dataset|gen|generator|iterator|loader)s?$", re.I)
"""Names of data that already comes in batches."""
_HIDING = ("sample_weight", "validation_split")
_MODELS = (
    "tf2.keras.Model", "tf2.keras.models.Model", "tf2.keras.Sequential",
    "tf2.keras.models.Sequential",
)  # fmt: skip
_OWN_BATCHES = ("tf2.data.Dataset", "tf2.keras.utils.Sequence", "tf2.distribute.DistributedDataset")


@RULE.call("tf2.keras.Model.fit")
@outside_tests
def cut_arrays(site: CallSite) -> Diagnoses:
    """Cut arrays before training, or say how."""
    args = site.args
    x, y = args.value("x"), args.value("y")
    batch = args.value("batch_size")
    if x is None or args.starred or _is_given(site, "steps_per_epoch"):
        return
    if batch is not None and site.file.literal(batch) == (1,):
        return
    if _comes_in_batches(site, x, y, batch) or _is_cut(x):
        return
    if _can_cut(site, x, y, batch):
        yield _cut(site, x, y, batch)
    else:
        yield _by_hand(site, x, y, batch)


@RULE.method("fit", where=lambda node: isinstance(node.ctx, ast.Load))
def cut_of_wrapper(site: MethodSite) -> Diagnoses:
    """``net.fit(x, y)`` of a class that passes what it does not have itself on to a Keras model."""
    call = site.call
    if call is None or site.known is not None:
        return
    values = site.file.resolver.infer(site.file.module, site.node.value)
    if any(isinstance(value, Object) and _passes_on(site.file, value.cls) for value in values):
        yield from cut_arrays(CallSite(site.file, call, "tf2.keras.Model.fit"))


def _passes_on(file: File, cls: Class) -> bool:
    """Whether a class has ``__getattr__`` but no ``fit``, and its module makes Keras models."""
    defined = {item.name for item in cls.node.body if isinstance(item, ast.FunctionDef)}
    if "__getattr__" not in defined or "fit" in defined:
        return False
    return any(True for _ in file.of(cls.module).calls(*_MODELS))


def _comes_in_batches(
    site: CallSite, x: ast.expr, y: ast.expr | None, batch: ast.expr | None
) -> bool:
    """Whether the data may be a dataset or generator: without labels and a batch size, it may."""
    if any(site.file.is_a(x, kind) for kind in _OWN_BATCHES) or _DATASET.search(last_name(x)):
        return True
    labels = y is not None and not is_literal(y, None)
    sized = batch is not None and not is_literal(batch, None)
    return not (labels or sized or _data.is_array(site.file, x))


def _is_given(site: CallSite, name: str) -> bool:
    value = site.args.value(name)
    return value is not None and not is_literal(value, None)


def _is_cut(node: ast.expr) -> bool:
    """Whether an array is cut to a length, ``x[:n]``, there or where its variable is assigned."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(_is_cut(item) for item in node.elts)
    if isinstance(node, ast.Name):
        found = backward.definitions(node)
        if len(found) == 1 and isinstance(found[0].value, ast.Tuple) and len(found[0].path) == 1:
            return _is_slice(found[0].value.elts[found[0].path[0]])
        value = backward.only_value(node)
        return value is not None and _is_slice(value)
    return _is_slice(node)


def _is_slice(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and node.slice.upper is not None
    )


def _can_cut(site: CallSite, x: ast.expr, y: ast.expr | None, batch: ast.expr | None) -> bool:
    simple = batch is None or isinstance(batch, (ast.Name, ast.Attribute, ast.Constant))
    if not simple or is_literal(batch, None) or any(_is_given(site, name) for name in _HIDING):
        return False
    return all(
        isinstance(item, ast.Name) and _data.is_array(site.file, item)
        for item in (x, y)
        if item is not None and not is_literal(item, None)
    )


def _cut(site: CallSite, x: ast.expr, y: ast.expr | None, batch: ast.expr | None) -> Diagnosis:
    file = site.file
    size = str(_DEFAULT_BATCH) if batch is None else file.text(batch)
    name = file.text(x)
    # an array shorter than one batch stays whole
    part = f"[:len({name}) // {size} * {size} or None]"
    fix = site.fix()
    for item in (x, y):
        if item is not None and not is_literal(item, None):
            fix.replace(item, f"{file.text(item)}{part}")
    return RULE.auto(
        site,
        f"{site.callee} may end with a batch smaller than {size}",
        done=f"Cut the arrays to whole batches: {name}{part}.",
        fix=fix,
    )


def _by_hand(site: CallSite, x: ast.expr, y: ast.expr | None, batch: ast.expr | None) -> Diagnosis:
    file = site.file
    if isinstance(x, (ast.List, ast.Tuple)) and x.elts:
        x = x.elts[0]
    size = str(_DEFAULT_BATCH) if batch is None else file.brief(batch, 30)
    name = file.brief(x, 30)
    split = site.args.value("validation_split")
    if split is not None and _is_given(site, "validation_split"):
        todo = (
            f"Split before: n = int(len({name}) * (1 - {file.brief(split, 20)})) // {size} * "
            f"{size}, train on [:n] of all arrays and give [n:] as validation_data in the place of "
            "validation_split"
        )
    else:
        todo = f"Cut all training arrays to whole batches, [:len({name}) // {size} * {size}]"
    return RULE.manual(
        site,
        f"{site.callee} may end with a batch smaller than {size}, which makes all shapes dynamic",
        todo=f"{todo}. Nothing is to be done where {size} divides the number of samples.",
    )
