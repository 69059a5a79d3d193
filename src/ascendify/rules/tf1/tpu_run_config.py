"""Run configs of TPUEstimator: set the NPU's session config, remove cluster resolvers."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status, fixes
from ascendify.rules.tensorflow.passing import uses
from ascendify.rules.tf1 import _estimator, _npu
from ascendify.rules.tf1 import _estimator_edits as edits

RULE = Rule(
    code="TF1-TPU-2",
    title="Give the run config of a TPUEstimator the NPU's session config",
    why=(
        "A TPUEstimator without TPU creates plain sessions from its run config; without the NPU's "
        "entry they train on the host CPU. A TPU cluster resolver asks a cloud service for "
        "addresses and fails without one."
    ),
    statuses=(Status.AUTO, Status.BLOCKER, Status.MANUAL),
    before="config = tf.contrib.tpu.RunConfig(model_dir=out)",
    after="config = tf.contrib.tpu.RunConfig(model_dir=out, session_config=npu_config_proto())",
    safety="A cluster resolver that is used for nothing but run configs is replaced by None.",
)

_RESOLVERS = (
    "tf.contrib.cluster_resolver.TPUClusterResolver",
    "tf.distribute.cluster_resolver.TPUClusterResolver",
)


@RULE.call(*_estimator.TPU_RUN_CONFIGS)
def give_session(site: CallSite) -> Diagnoses:
    """Wrap the session config that is given, or add one."""
    file = site.file
    given = site.args.get("session_config")
    what = site.callee
    if given is not None and _npu.is_session_config(file, given.value):
        return
    if given is None and not _estimator.shows_all(site):
        yield RULE.manual(
            site,
            f"{what} may get its session_config from arguments that are not visible here",
            todo="Wrap the session config where it is made: npu_config_proto(config_proto=...).",
        )
        return
    fix = site.fix()
    arguments = edits.ArgumentList(file, fix, site.args)
    done = _npu.set_session_config(
        file, fix, given, "session_config", lambda text: arguments.append([text])
    )
    found = f"{what} describes sessions without the NPU entry"
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.call(*_RESOLVERS)
def remove_resolver(site: CallSite) -> Diagnoses:
    """Replace a resolver by None when only run configs get it."""
    file = site.file
    flow = uses(file.resolver, file.module, site.node)
    takers = [
        file.of(use.module).name(use.call.func) in _estimator.TPU_RUN_CONFIGS for use in flow.calls
    ]
    found = f"{site.callee} looks for a TPU"
    if flow.escapes is None and takers and all(takers) and not _is_used(site):
        fix = fixes.replacing(file, site.node, "None")
        done = "Replaced the resolver by None: a run config without TPU needs no cluster."
        yield RULE.auto(site, found, done=done, fix=fix)
        return
    yield RULE.blocker(
        site,
        found,
        todo=(
            "Remove it and what is built on it; on the NPU every process drives one device, and "
            "the launch script says which."
        ),
        effort=Effort.HOURS,
    )


def _is_used(site: CallSite) -> bool:
    """Whether the file calls methods of a resolver, which None does not have."""
    names = ("master", "get_master", "cluster_spec", "initialize", "num_accelerators")
    return any(
        isinstance(kinds := site.file.kind(call.func.value), str) and kinds in _RESOLVERS
        for name in names
        for call in site.file.module.index.calls_by_name.get(name, ())
        if hasattr(call.func, "value")
    )
