"""Evaluation and prediction: note a smaller last batch, report samples that are lost with one."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import batching, datasets
from ascendify.rules.tensorflow.purposes import Purpose, is_endless, purpose, training_switch
from ascendify.source.nodes import functions_around, last_name

RULE = Rule(
    code="TF1-EVAL-1",
    title="Use every sample of evaluation and prediction data",
    why=(
        "Without a smaller last batch its samples are not evaluated, a prediction file has fewer "
        "lines than the input, and a small data set has no batch at all. With it the graph is "
        "compiled once more, for its shape."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="def eval_input_fn():\n    return tf.data.TFRecordDataset(files).batch(100)",
)

_PREDICTS = (
    "tf.estimator.Estimator.predict",
    "npu.NPUEstimator.predict",
    "tf.keras.Model.predict",
    "tf.keras.Model.predict_generator",
)
_COUNT = re.compile(r"(?:^|_)(?:num|count|counts|counter|total|len|n|nb|size|lines|written)(?:_|$)")


@RULE.call(*batching.BATCHING)
@outside_tests
def report_lost_samples(site: CallSite) -> Diagnoses:
    """Say how to keep the samples of a smaller last batch."""
    found = batching.uneven(site)
    if found is None or found.may_be_given or found.loses_nothing or site.name.endswith(".window"):
        return
    if (
        batching.is_single(site)
        or is_endless(site.file, site.node)
        or purpose(site.file, site.node) is not Purpose.EVAL
    ):
        return
    recipe = batching.padding_recipe(site, found)
    yield RULE.info(
        site,
        f"{datasets.spelled(site.file, site.node)} feeds evaluation or prediction, and its last "
        "batch may be smaller",
        todo=(
            "Every sample is used, and the graph is compiled once more for the smaller batch. To "
            f"save that, choose a batch size that divides the number of samples, or {recipe}"
        ),
        cause=site.path,
    )


@RULE.call(*_PREDICTS)
@outside_tests
def report_counting_asserts(site: CallSite) -> Diagnoses:
    """Asserts after a prediction that compare the number of results."""
    body: ast.AST = next(functions_around(site.node), site.file.module.tree)
    if not _is_first_prediction(site, body) or not _may_drop(site.file):
        return
    for node in ast.walk(body):
        if not isinstance(node, ast.Assert) or node.lineno < site.node.lineno:
            continue
        if _compares_counts(node.test):
            yield RULE.manual(
                site.at(node),
                f"assert {site.file.brief(node.test)} compares counts after a prediction, and "
                "fails when a smaller last batch is dropped or padded",
                todo=(
                    "Pad the input to full batches, stop reading results after the real number of "
                    "samples, and only then compare."
                ),
            )


def _may_drop(file: File) -> bool:
    """Whether a pipeline of this file, or of one that it imports, drops samples."""
    modules = (file.module, *file.resolver.project.imported(file.module))
    sites = (site for item in modules for site in file.of(item).calls(*batching.BATCHING))
    for site in sites:
        found = batching.uneven(site)
        if found is None or found.loses_nothing or is_endless(site.file, site.node):
            continue
        used_for = purpose(site.file, site.node)
        if used_for is Purpose.UNKNOWN:
            return True
        if used_for is Purpose.BOTH and training_switch(site.node) is None:
            return True
    return False


def _is_first_prediction(site: CallSite, body: ast.AST) -> bool:
    """Whether this is the first prediction of its function, which reports the asserts."""
    return not any(
        other.node.lineno < site.node.lineno
        and next(functions_around(other.node), site.file.module.tree) is body
        for other in site.file.calls(*_PREDICTS)
    )


def _compares_counts(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return all(_is_count(side) for side in (test.left, test.comparators[0]))


def _is_count(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    name: str = last_name(node)
    return _COUNT.search(name.lower()) is not None
