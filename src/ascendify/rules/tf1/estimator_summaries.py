"""Summaries of estimators: report those that are lost when several iterations run on the device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _npu
from ascendify.source.nodes import function_around, positional_parameters
from ascendify.source.scopes import parent
from ascendify.source.values import Function

RULE = Rule(
    code="TF1-EST-3",
    title="Write summaries through host_call when several iterations run on the device",
    why=(
        "With more than one iteration a run, summary operators in the training graph cannot be "
        "fetched and save_summary_steps has no effect. NPUEstimatorSpec carries tensors to a "
        "function on the host instead; a wrong host_call fails only when training starts."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "config = NPURunConfig(iterations_per_loop=100)\n"
        "def model_fn(features, labels, mode):\n"
        "    tf.summary.scalar('loss', loss)\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"
    ),
)


_SUMMARIES = tuple(f"tf.summary.{name}" for name in ("scalar", "image", "histogram", "audio"))


@RULE.call("tf.estimator.EstimatorSpec")
def report_summaries(site: CallSite) -> Diagnoses:
    """A model_fn with summaries that would not be written."""
    function = function_around(site.node)
    if function is None or "train_op" not in site.args or _loop_length(site.file) < 2:
        return
    summaries = site.file.calls(*_SUMMARIES)
    summary = next((call for call in summaries if function_around(call.node) is function), None)
    if summary is None:
        return
    yield RULE.manual(
        site.at(summary.node),
        f"{site.file.brief(summary.node.func)} is not written when several iterations run on the "
        "device",
        todo=(
            "Return NPUEstimatorSpec(..., host_call=(write, [global_step, loss])) where write "
            "takes as many parameters as the list has tensors, records them with "
            "tf.contrib.summary inside create_file_writer(folder).as_default(), and returns "
            "tf.contrib.summary.all_summary_ops()."
        ),
    )


@RULE.call("npu.NPUEstimatorSpec")
def check_host_call(site: CallSite) -> Diagnoses:
    """Check that the function of a host_call has a parameter for each of its tensors."""
    given = site.args.value("host_call")
    if not isinstance(given, (ast.Tuple, ast.List)):
        return
    expected: str | None = None
    if len(given.elts) != 2:
        expected = "Give a function and a list of tensors."
    elif isinstance(given.elts[1], (ast.List, ast.Tuple)):
        count = len(given.elts[1].elts)
        takes = _parameters(site.file, given.elts[0])
        if takes is not None and takes != count:
            expected = f"Let the function take a parameter for each tensor: {count}, not {takes}."
    if expected is not None:
        yield RULE.manual(
            site.at(given),
            f"host_call={site.file.brief(given)} stops training with an error",
            todo=expected,
        )


@RULE.call("npu.NPUEstimatorSpec._replace")
def report_replace(site: CallSite) -> Diagnoses:
    """``_replace`` gives a plain EstimatorSpec back."""
    yield RULE.manual(
        site,
        f"{site.callee}() loses the host_call of the NPUEstimatorSpec",
        todo="Build a new NPUEstimatorSpec with the host_call instead.",
    )


def _loop_length(file: File) -> int:
    """Iterations per run, requested as an option or set in this file; 1 without either."""
    lengths = [_npu.iterations_per_loop(file)]
    for config in file.calls("npu.NPURunConfig"):
        given = config.args.value("iterations_per_loop")
        values = () if given is None else file.literal(given) or ()
        lengths.extend(value for value in values if isinstance(value, int))
    return max(lengths)


def _parameters(file: File, function: ast.expr) -> int | None:
    """How many parameters a function of the project takes, None when that is not one number."""
    values = file.resolver.infer(file.module, function)
    if len(values) != 1 or not isinstance(values[0], Function):
        return None
    arguments = values[0].node.args
    if arguments.vararg or arguments.kwonlyargs or arguments.defaults:
        return None
    count = len(positional_parameters(values[0].node))
    return count - 1 if isinstance(parent(values[0].node), ast.ClassDef) else count
