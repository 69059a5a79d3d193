"""TPUEstimator: switch its TPU off, and report how to use NPUEstimator instead."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tensorflow.passing import origins
from ascendify.rules.tf1 import _estimator
from ascendify.rules.tf1 import _estimator_edits as edits
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TF1-TPU-1",
    title="Switch the TPU off in a TPUEstimator",
    why=(
        "With use_tpu a TPUEstimator compiles for a TPU and waits for one. Without it, it behaves "
        "like an Estimator and still sets params['batch_size'], which model and input "
        "functions need."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before=(
        "config = tf.contrib.tpu.RunConfig(model_dir=out)\n"
        "estimator = tf.contrib.tpu.TPUEstimator(\n"
        "    model_fn=model_fn,\n"
        "    config=config,\n"
        "    use_tpu=FLAGS.use_tpu)"
    ),
    after=(
        "config = tf.contrib.tpu.RunConfig(model_dir=out)\n"
        "estimator = tf.contrib.tpu.TPUEstimator(\n"
        "    model_fn=model_fn,\n"
        "    config=config,\n"
        "    use_tpu=False,\n"
        "    eval_on_tpu=False,\n"
        "    export_to_tpu=False)"
    ),
)

_SWITCHES = ("use_tpu", "eval_on_tpu", "export_to_tpu")


@RULE.call(*_estimator.TPU_ESTIMATORS)
def switch_off(site: CallSite) -> Diagnoses:
    """Set the three switches to False where they are given."""
    file, arguments = site.file, site.args
    what = site.callee
    absent = [name for name in _SWITCHES if name not in arguments]
    if absent and not _estimator.shows_all(site):
        yield RULE.manual(
            site,
            f"{what} may get {', '.join(absent)} from arguments that are not visible here",
            todo=f"Make sure that {', '.join(absent)} are False.",
        )
        absent = []
    fix = site.fix()
    done: list[str] = []
    for name in _SWITCHES:
        given = arguments.value(name)
        if given is not None and not is_literal(given, False):
            fix.replace(given, "False")
            done.append(f"Replaced {name}={file.brief(given)} by False.")
    if absent:
        edits.ArgumentList(file, fix, arguments).append([f"{name}=False" for name in absent])
        done.append(f"Added {', '.join(f'{name}=False' for name in absent)}.")
    config = arguments.value("config")
    made = None if config is None else origins(file.resolver, file.module, config)
    if config is not None and made is not None and made.unknown and not made.calls:
        # no rule can set the session config where the run config is made
        done.append(edits.pass_through_init(file, fix, config))
    if done:
        found = f"{what} makes an estimator for a TPU"
        yield RULE.auto(site, found, done=" ".join(done), fix=fix)
    yield RULE.info(
        site,
        f"{what} cannot run iterations on the device or broadcast variables by itself",
        todo=(
            "For both, move to native style: NPUEstimator with an NPURunConfig, whose "
            "iterations_per_loop takes the place of TPUConfig's, params with 'batch_size' set to "
            "train_batch_size, and a model_fn that returns an EstimatorSpec."
        ),
    )
