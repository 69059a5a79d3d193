"""Keras models as estimators: use model_to_npu_estimator where the run config allows it."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
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
            f"{what} may get its config from arguments that are not visible here",
            todo="Call keras_to_npu.model_to_npu_estimator with an NPURunConfig instead.",
        )
        return
    plan, fix = _estimator.plan_estimator(file, site), site.fix()
    found = f"{what} makes an estimator that trains on the host"
    if plan.native:
        function = f"{_npu.use(fix, 'keras_to_npu')}.model_to_npu_estimator"
        done = edits.make_native(site, fix, function, plan.config is not None)
        yield RULE.auto_check(site, found, done=done, todo=_TODO, fix=fix)
    elif plan.config is not None and not plan.done:
        done = edits.pass_through_init(file, fix, plan.config)
        yield RULE.auto(site, f"{found}; it is kept because {plan.reason}", done=done, fix=fix)
