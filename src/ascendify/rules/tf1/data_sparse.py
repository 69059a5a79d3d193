"""Sparse and variable-length inputs: report them, with how to make them dense."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import host
from ascendify.source.nodes import function_around
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DATA-3",
    title="Make variable-length and sparse inputs dense and of fixed size",
    why=(
        "A sparse tensor has as many values as the sample happens to hold, so its shape changes "
        "from step to step."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="features = {'labels': tf.VarLenFeature(tf.int64)}",
)

_FEATURES = ("tf.VarLenFeature", "tf.SparseFeature")
_DENSE = (
    "tf.sparse_tensor_to_dense",
    "tf.sparse.to_dense",
    "tf.sparse_to_dense",
    "tf.sparse_to_indicator",
    "tf.sparse.to_indicator",
)
"""Both spellings of each: calls are found by the last part of their name."""
_MADE = {
    "tf.sparse_placeholder": "a dense placeholder [BATCH_SIZE, MAX_LEN] with a padding value",
    "tf.sparse.from_dense": "the dense tensor itself",
    "tf.contrib.layers.dense_to_sparse": "the dense tensor itself",
    "tf.keras.backend.ctc_label_dense_to_sparse": "tf.nn.ctc_loss_v2, which takes dense labels",
    "tf.contrib.data.dense_to_sparse_batch": "padded_batch with fixed padded_shapes",
    "tf.data.experimental.dense_to_sparse_batch": "padded_batch with fixed padded_shapes",
    "tf.ragged.constant": "a dense tensor padded to a fixed length",
    "tf.ragged.placeholder": "a dense placeholder padded to a fixed length",
    "tf.ragged.stack": "a dense tensor padded to a fixed length",
}
"""What makes a sparse or ragged tensor, and what to use in its place."""


@RULE.call(*_FEATURES)
@outside_tests
def report_variable_length(site: CallSite) -> Diagnoses:
    """Features that are parsed to sparse tensors, once per parsing function."""
    file = site.file
    scope = function_around(site.node)
    together = [other for other in file.calls(*_FEATURES) if function_around(other.node) is scope]
    if not together or together[0].node is not site.node:
        return
    keys = [key for other in together if (key := _key(other))]
    call = site.callee
    named = f"{call} ({', '.join(keys[:4])}{', ...' if len(keys) > 4 else ''})" if keys else call
    if _is_made_dense(file, scope):
        yield RULE.info(
            site,
            f"{named} is made dense here, with a length that differs from sample to sample",
            todo="Make sure that it is padded or cut to one fixed length before it is batched.",
        )
        return
    dtype = site.args.value("dtype")
    yield RULE.manual(
        site,
        f"{named} is parsed to a sparse tensor whose size differs from sample to sample",
        todo=(
            f"Make it dense in the parsing function: x = tf.sparse.to_dense("
            f"features[{keys[0] if keys else 'key'}], default_value=PADDING)[:MAX_LEN]; length = "
            "tf.size(x); x = tf.pad(x, [[0, MAX_LEN - length]], constant_values=PADDING); "
            "x.set_shape([MAX_LEN]); return x and length. Or store padded records and use "
            "tf.FixedLenFeature([MAX_LEN], "
            f"{'tf.int64' if dtype is None else file.brief(dtype)})."
        ),
        effort=Effort.HOURS,
        cause=f"{site.path} features",
    )


@RULE.call(*_MADE)
@outside_tests
def report_made_sparse(site: CallSite) -> Diagnoses:
    """Tensors that are made sparse or ragged."""
    if host.runs_on_host(site.file, site.node) and "batch" not in site.name:
        return
    yield RULE.manual(
        site,
        f"{site.callee} makes a tensor of a size that depends on the data",
        todo=f"Use {_MADE[site.name]}, and carry the real length beside it.",
        effort=Effort.HOURS,
        cause=f"{site.path} {site.name}",
    )


@RULE.call("tf.SparseTensor")
@outside_tests
def report_sparse_tensor(site: CallSite) -> Diagnoses:
    """A SparseTensor whose indices are not constant."""
    indices = site.args.value("indices")
    if indices is None or _is_constant(site.file, indices):
        return
    if host.runs_on_host(site.file, site.node):
        return
    yield RULE.manual(
        site,
        f"{site.callee} has indices that are not constant",
        todo=(
            "Keep the values dense, [BATCH_SIZE, MAX_LEN], with a padding value; where an operator "
            "must have a SparseTensor, give it constant indices over the full size."
        ),
        effort=Effort.HOURS,
        cause=f"{site.path} indices",
    )


def _key(site: CallSite) -> str:
    """The text of the dictionary key a feature is parsed under."""
    owner = site.parent
    if isinstance(owner, ast.Dict):
        for key, value in zip(owner.keys, owner.values):
            if value is site.node and key is not None:
                return site.file.brief(key, 40)
    return ""


def _is_made_dense(file: File, scope: ast.AST | None) -> bool:
    """Whether the parsing function takes the values out, or fills the gaps."""
    if any(function_around(other.node) is scope for other in file.calls(*_DENSE)):
        return True
    return scope is not None and any(
        isinstance(item, ast.Attribute)
        and item.attr == "values"
        and getattr(parent(item), "func", None) is not item
        for item in ast.walk(scope)
    )


def _is_constant(file: File, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return (file.name(node.func) or "").startswith(("numpy.", "tf.constant"))
    return isinstance(node, (ast.List, ast.Tuple, ast.Constant))
