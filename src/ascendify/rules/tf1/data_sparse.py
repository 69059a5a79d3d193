"""Sparse and variable-length inputs: make labels of CTC dense, report all others."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import CTC
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import dtypes, host
from ascendify.rules.tf1 import _ctc, _label_datasets
from ascendify.source.nodes import function_around
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DATA-3",
    title="Make variable-length and sparse inputs dense and of fixed size",
    why=(
        "A sparse tensor has as many values as the sample happens to hold, so its shape changes "
        "from step to step."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before=(
        "labels = tf.sparse_placeholder(tf.int32)\n"
        "loss = tf.nn.ctc_loss(labels, logits, sequence_length)"
    ),
    after=(
        "labels = npu_ctc.sparse_placeholder(tf.int32)\n"
        "loss = tf.nn.ctc_loss(labels, logits, sequence_length)"
    ),
    safety=(
        "Labels are padded to as many values as the CTC loss has frames, which is the most that it "
        "can align. A smaller number saves time: give the iterator longest=<your longest label>."
    ),
)

_FEATURES = _label_datasets.FEATURES
_INTEGERS = ("int32", "int64")
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
"""Functions that make a sparse or ragged tensor -> what to use in place of each."""
_LABELS = (
    "tf.sparse_placeholder",
    "tf.contrib.layers.dense_to_sparse",
    "tf.keras.backend.ctc_label_dense_to_sparse",
)
"""Those of them that give labels in a program with a CTC loss."""


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
    if any(_label_datasets.densified(file, scope)):
        yield RULE.info(
            site, f"{named} is parsed to a sparse tensor, which the dataset's iterator makes dense"
        )
        return
    if _is_integer(site) and _ctc.runs_on_release_1(file) and _ctc.is_used(file):
        yield RULE.info(
            site,
            f"{named} is parsed to a sparse tensor, which the host makes dense in every step",
            todo=(
                "For speed, make it dense in the input pipeline: take the iterator from "
                f"{CTC}.make_initializable_iterator(dataset, longest=<your longest label>)."
            ),
        )
        return
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


@RULE.call(*_label_datasets.MAKERS)
@outside_tests
def make_labels_dense(site: CallSite) -> Diagnoses:
    """The iterator over a dataset that yields sparse labels of a CTC loss."""
    file = site.file
    if not _ctc.runs_on_release_1(file) or not _label_datasets.yields_sparse(site):
        return
    fix = site.fix()
    longest = _ctc.frames(file, fix, site.node)
    dataset = _label_datasets.dataset_of(site)
    if longest is None or dataset is None or not _label_datasets.only_steps(site):
        return
    function = f"{fix.use(CTC)}.{site.name.rpartition('.')[2]}"
    cut = ", cut_longer=True" if _ctc.cuts_longer(file) else ""
    size = f"{longest} + 1" if cut else longest
    fix.replace(site.node, f"{function}({file.text(dataset)}, longest={size}{cut})")
    yield RULE.auto_check(
        site,
        f"{site.callee} yields sparse labels, whose size differs from batch to batch",
        done=(
            f"Called {function} of {CTC}.py, which yields them dense, padded to {size} values: the "
            "most that the loss can align."
        ),
        todo=f"For speed, give longest= the length of your longest label instead of {size}.",
        fix=fix,
    )


@RULE.call(*_LABELS)
@outside_tests
def keep_labels_dense(site: CallSite) -> Diagnoses:
    """Labels of a CTC loss that are fed or made sparse; anything else of that kind."""
    file = site.file
    is_label = site.name != "tf.sparse_placeholder" or _is_integer(site)
    if not is_label or not _ctc.runs_on_release_1(file) or not _ctc.is_used(file):
        yield from report_made_sparse(site)
        return
    if host.runs_on_host(file, site.node):
        return
    fix = site.fix()
    function = f"{fix.use(CTC)}.{site.name.rpartition('.')[2]}"
    fix.replace(site.node.func, function)
    yield RULE.auto(
        site,
        f"{site.callee} gives sparse labels, whose size differs from batch to batch",
        done=(
            f"Called {function} of {CTC}.py: sessions feed and fetch them as before, and the "
            "device gets a dense tensor."
        ),
        fix=fix,
    )


@RULE.call(*(name for name in _MADE if name not in _LABELS))
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
    if _ctc.runs_on_release_1(site.file) and _ctc.is_mixed(site.file) and _ctc.is_used(site.file):
        yield RULE.info(
            site,
            f"{site.callee} has indices that are not constant; as labels of CTC it is made dense "
            "on the host in every step",
            todo=f"For speed, feed labels through {CTC}.sparse_placeholder.",
        )
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


def _is_integer(site: CallSite) -> bool:
    dtype = site.args.value("dtype")
    return dtype is not None and dtypes.named(site.file, dtype) in _INTEGERS


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
