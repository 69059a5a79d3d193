"""Sparse and variable-length inputs: samples reach the network dense and of fixed size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, File
from ascendify.rules.tf1 import _pipeline

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

_DENSE = ("tf.sparse_tensor_to_dense", "tf.sparse_to_dense", "tf.sparse_to_indicator")
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


@RULE.call("tf.VarLenFeature", "tf.SparseFeature")
def tell_variable_length(site: CallSite) -> Iterator[Diagnosis]:
    """Tell about features that are parsed to sparse tensors."""
    file = site.file
    key = _key(site)
    call = file.brief(site.node.func)
    named = f"{call} ({key})" if key else call
    if _is_made_dense(file, site.node):
        yield site.finding(
            RULE,
            Status.INFO,
            f"{named} is made dense here, with a length that differs from sample to sample",
            todo="Make sure that it is padded or cut to one fixed length before it is batched.",
        )
        return
    dtype = site.args.value("dtype")
    label = key or "'labels'"
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{named} is parsed to a sparse tensor whose size differs from sample to sample",
        todo=(
            f"Make it dense and of fixed size in the parsing function: dense = "
            f"tf.sparse.to_dense(features[{label}], default_value=PADDING)[:MAX_LEN]; length = "
            "tf.size(dense); dense = tf.pad(dense, [[0, MAX_LEN - length]], "
            "constant_values=PADDING); dense.set_shape([MAX_LEN]); return dense and length. Or "
            f"store padded records and use tf.FixedLenFeature([MAX_LEN], "
            f"{'tf.int64' if dtype is None else file.brief(dtype)}). An operator that must have a "
            "SparseTensor gets one with constant indices."
        ),
    )


@RULE.call(*_MADE)
def tell_made_sparse(site: CallSite) -> Iterator[Diagnosis]:
    """Tell about tensors that are made sparse or ragged."""
    if _pipeline.runs_on_host(site.file, site.node) and "batch" not in site.name:
        return
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{site.file.brief(site.node.func)} makes a tensor of a size that depends on the data",
        todo=f"Use {_MADE[site.name]}, and carry the real length beside it.",
    )


@RULE.call("tf.SparseTensor")
def tell_sparse_tensor(site: CallSite) -> Iterator[Diagnosis]:
    """Tell about a SparseTensor whose indices are not constant."""
    indices = site.args.value("indices")
    if indices is None or _is_constant(site.file, indices):
        return
    if _pipeline.runs_on_host(site.file, site.node):
        return
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{site.file.brief(site.node.func)} has indices that are not constant",
        todo=(
            "Keep the values dense, [BATCH_SIZE, MAX_LEN], with a padding value; where an operator "
            "must have a SparseTensor, give it constant indices over the full size."
        ),
    )


def _key(site: CallSite) -> str:
    """The text of the dictionary key a feature is parsed under."""
    owner = site.parent
    if isinstance(owner, ast.Dict):
        for key, value in zip(owner.keys, owner.values):
            if value is site.node and key is not None:
                return site.file.brief(key, 40)
    return ""


def _is_made_dense(file: File, node: ast.AST) -> bool:
    scope = next(_pipeline.enclosing_functions(node), None)
    return any(
        next(_pipeline.enclosing_functions(other.node), None) is scope
        for other in file.calls(*_DENSE)
    )


def _is_constant(file: File, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return (file.name(node.func) or "").startswith(("numpy.", "tf.constant"))
    return isinstance(node, (ast.List, ast.Tuple, ast.Constant))
