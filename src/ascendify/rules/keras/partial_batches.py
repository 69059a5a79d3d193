"""Arrays given to Keras: report a smaller last batch, which has a different shape."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.source.nodes import last_name

RULE = Rule(
    code="TF1-KERAS-7",
    title="Give Keras arrays whose length is a multiple of the batch size",
    why=(
        "Graphs for the NPU are compiled for fixed shapes. The last batch of an array that does "
        "not divide evenly has another shape, for which the graph is compiled once more: minutes, "
        "in the first epoch."
    ),
    statuses=(Status.INFO,),
    before="model.fit(x_train, y_train, batch_size=64)",
)

_STEPS = {"fit": "steps_per_epoch", "evaluate": "steps", "predict": "steps"}
"""The argument for the number of steps, which datasets and iterators need because they make their
own batches."""
_STREAMS = ("tf.data.Dataset", "tf.data.Iterator", "tf.Tensor", "tf.keras.utils.Sequence")
_DEFAULT_BATCH = 32


@RULE.call(*(f"tf.keras.Model.{method}" for method in _STEPS))
@outside_tests
def report(site: CallSite) -> Diagnoses:
    """Arrays that Keras divides into batches itself."""
    file, arguments = site.file, site.args
    method = site.name.rpartition(".")[2]
    data, batch = arguments.value("x"), arguments.value("batch_size")
    if data is None or arguments.starred or _is_given(site, _STEPS[method]):
        return
    if batch is None and method == "predict":
        return  # mostly a handful of samples to look at
    if batch is not None and file.literal(batch) == (1,):
        return
    if not _is_array(file, data):
        return
    if isinstance(data, (ast.List, ast.Tuple)) and data.elts:
        data = data.elts[0]
    size = str(_DEFAULT_BATCH) if batch is None else file.brief(batch, 30)
    size = size if isinstance(batch, (ast.Name, ast.Attribute, ast.Constant, type(None))) else "n"
    name = file.brief(data, 30)
    count = f"len({name}) // {size} * {size}"
    if method == "fit":
        whole = name if isinstance(data, (ast.Name, ast.Attribute)) else f"({name})"
        todo = f"Cut all arrays to whole batches: {whole}[:{count}]"
        if arguments.value("validation_data") is not None or "validation_split" in arguments:
            todo += ", the validation data as well"
    else:
        todo = f"Pad all arrays to whole batches and ignore the padded results, or cut to {count}"
    yield RULE.info(
        site,
        f"{site.callee} may end with a batch smaller than {size}",
        todo=f"{todo}, to save these minutes. Nothing, where {size} divides len({name}).",
        cause=site.path,
    )


def _is_given(site: CallSite, name: str) -> bool:
    value = site.args.value(name)
    return value is not None and site.file.literal(value) != (None,)


def _is_array(file: File, node: ast.expr) -> bool:
    """Whether the data may be an array, not something that yields batches itself."""
    if isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return False
    kinds, _ = file.resolver.kinds(file.module, node)
    if any(types.is_a(kind, base) for kind in kinds for base in _STREAMS):
        return False
    names, _ = file.names(node)
    return not names and not _is_iterator(file, node)


def _is_iterator(file: File, node: ast.expr) -> bool:
    """``datagen.flow(...)`` and its like give iterators over batches."""
    if isinstance(node, ast.Call):
        last = last_name(node.func)
        return last.startswith("flow") or "generator" in last.lower() or "iter" in last.lower()
    text = file.text(node).lower()
    return any(word in text for word in ("generator", "iterator", "dataset", "_gen", "_ds"))
