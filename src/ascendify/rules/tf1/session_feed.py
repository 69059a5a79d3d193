"""Sessions: report batches that are fetched to the host only to be fed back."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.bindings import bindings
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF1-SESS-5",
    title="Build the model on the dataset's tensors instead of feeding fetched batches",
    why=(
        "Each step carries the batch from the pipeline to Python and back into the graph. On an "
        "NPU that time is not hidden, and several steps cannot be run in one call."
    ),
    statuses=(Status.INFO,),
    before="images = sess.run(next_batch)\nsess.run(train_op, feed_dict={x: images})",
)

_NEXT = ("tf.data.Iterator.get_next", "tf.train.batch", "tf.train.shuffle_batch")
_DEPTH = 4


@RULE.call("tf.Session.run")
def fetched_and_fed(site: CallSite) -> Diagnoses:
    """Report a run that fetches the next batch, which another run of the function is then fed."""
    fetches = site.args.value("fetches")
    statement = site.statement
    if fetches is None or not isinstance(statement, ast.Assign) or statement.value is not site.node:
        return
    if not _is_batch(site.file, fetches, _DEPTH):
        return
    names = {
        node.id
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    function = function_around(site.node)
    for other in site.file.calls("tf.Session.run"):
        feed = other.args.value("feed_dict")
        if (
            isinstance(feed, ast.Dict)
            and function_around(other.node) is function
            and any(
                isinstance(node, ast.Name) and node.id in names
                for value in feed.values
                for node in ast.walk(value)
            )
        ):
            yield RULE.info(
                site,
                f"{site.file.brief(fetches)} is fetched here and fed back on line "
                f"{other.node.lineno}",
                todo=(
                    "For speed, build the model on the tensors of get_next() in place of the "
                    "placeholders, and run the train step without a feed."
                ),
            )
            return


def _is_batch(file: File, node: ast.expr, depth: int) -> bool:
    """Whether an expression is the next batch of a dataset iterator, or a part of it."""
    if depth == 0:
        return False
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(_is_batch(file, item, depth) for item in node.elts)
    if isinstance(node, ast.Subscript):
        return _is_batch(file, node.value, depth - 1)
    if isinstance(node, ast.Call):
        return file.name(node.func) in _NEXT
    bound = bindings(file.resolver, file.module, node)
    return bool(bound) and all(
        module is file.module
        and binding.kind == "assign"
        and binding.value is not None
        and _is_batch(file, binding.value, depth - 1)
        for module, binding in bound
    )
