"""Keras models as estimators: model_to_npu_estimator where the run config allows it."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.tf1 import _estimator, _npu
from ascendify.rules.tf1 import _estimator_edits as edits

RULE = Rule(
    code="TF1-EST-8",
    title="Turn a Keras model into an estimator that trains on the NPU",
    why=(
        "model_to_estimator gives a plain Estimator, which trains on the host CPU; the NPU has a "
        "function of its own with another order of arguments."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="estimator = tf.keras.estimator.model_to_estimator(model, config=run_config)",
    after=("estimator = keras_to_npu.model_to_npu_estimator(keras_model=model, config=run_config)"),
    safety=(
        "Only Functional and Sequential models can be converted. Keras callbacks have no effect "
        "on an estimator."
    ),
)

_TODO = (
    "Check that the model is Functional or Sequential; for iterations on the device compile it "
    "with an optimizer of tf.train."
)


@RULE.call(_estimator.FROM_KERAS)
def convert(site: CallSite) -> Diagnoses:
    """Convert to the NPU's function, or pass the config through npu_run_config_init."""
    file, arguments = site.file, site.args
    what = site.callee
    if "config" not in arguments and not _estimator.shows_all(site):
        yield RULE.manual(
            site,
            f"{what} may get its config from arguments that cannot be seen",
            todo="Call keras_to_npu.model_to_npu_estimator with an NPURunConfig instead.",
        )
        return
    plan = _estimator.plan_estimator(file, site)
    if plan.native:
        yield _native(site, plan)
    elif plan.config is not None and not plan.done:
        fix = site.fix()
        fix.wrap(plan.config, f"{_npu.use(fix, 'npu_run_config_init')}(run_config=")
        yield RULE.auto(
            site,
            f"{what} makes an estimator that trains on the host; it stays because {plan.reason}",
            done=f"Passed {file.brief(plan.config)} through npu_run_config_init().",
            fix=fix,
        )


def _native(site: CallSite, plan: _estimator.EstimatorPlan) -> Diagnosis:
    file = site.file
    fix = site.fix()
    module = _npu.use(fix, "keras_to_npu")
    fix.replace(site.node.func, f"{module}.model_to_npu_estimator")
    done = f"Replaced {site.callee} by {module}.model_to_npu_estimator."
    given = site.args.get("config")
    added: list[str] = []
    if plan.config is None:
        config = edits.new_run_config(file, fix, site.node)
        if given is None:
            added.append(f"config={config}")
        else:
            fix.replace(given.value, config)
        done += " Gave it an NPURunConfig that keeps TensorFlow's defaults."
    edits.ArgumentList(file, fix, site.args).change(add=added)
    return RULE.auto_check(
        site,
        f"{site.callee} makes an estimator that trains on the host",
        done=done,
        todo=_TODO,
        fix=fix,
    )
