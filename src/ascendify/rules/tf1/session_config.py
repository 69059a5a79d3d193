"""Sessions: every config a session is created with carries the NPU's optimizer entry."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-SESS-1",
    title="Give every session the NPU configuration",
    why=(
        "The NPU is reached through a graph optimizer named NpuOptimizer in the session config. "
        "A session without it trains on the host CPU and says nothing."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="with tf.Session(config=config) as sess:\n    ...",
    after="with tf.Session(config=npu_config_proto(config_proto=config)) as sess:\n    ...",
    safety=(
        "The config object is changed in place: soft placement on, placement log off, remapping "
        "and XLA off."
    ),
)

_PARAMETERS = {
    "tf.Session": "config",
    "tf.InteractiveSession": "config",
    "tf.train.MonitoredTrainingSession": "config",
    "tf.train.ChiefSessionCreator": "config",
    "tf.train.WorkerSessionCreator": "config",
    "tf.train.Supervisor.managed_session": "config",
    "tf.train.Supervisor.prepare_or_wait_for_session": "config",
    "tf.train.SessionManager.prepare_session": "config",
    "tf.train.SessionManager.recover_session": "config",
    "tf.train.SessionManager.wait_for_session": "config",
    "tf.contrib.slim.learning.train": "session_config",
    "tf.contrib.slim.evaluation.evaluate_once": "session_config",
    "tf.contrib.slim.evaluation.evaluation_loop": "session_config",
    "tf.contrib.training.train": "config",
    "tf.contrib.training.evaluate_once": "config",
    "tf.contrib.training.evaluate_repeatedly": "config",
    "tf.test.TestCase.test_session": "config",
    "tf.test.TestCase.session": "config",
    "tf.test.TestCase.cached_session": "config",
}
"""Everything that creates a session, and the parameter its config goes to."""


@RULE.call(*_PARAMETERS)
def wrap_config(site: CallSite) -> Iterator[Diagnosis]:
    """Wrap the config that is given, or give one."""
    parameter = _PARAMETERS[site.name]
    given = site.args.get(parameter)
    file = site.file
    if given is not None and _npu.is_session_config(file, given.value):
        return
    if given is None and site.args.starred:
        yield site.finding(
            RULE,
            Status.MANUAL,
            f"{file.brief(site.node.func)} may get its {parameter} from * or ** arguments",
            todo=f"Wrap the {parameter} where it is made: npu_config_proto(config_proto=...).",
        )
        return
    fix = site.fix()
    function, keyword = _npu.session_config(file, fix)
    if given is None:
        fix.add_argument(site.node, f"{parameter}={function}()")
        done = f"Added {parameter}={function}()."
    elif file.literal(given.value) == (None,):
        fix.replace(given.value, f"{function}()")
        done = f"Replaced the empty {parameter} by {function}()."
    else:
        fix.wrap(given.value, f"{function}({keyword}")
        done = f"Wrapped {file.brief(given.value)} in {function}()."
    found = f"{file.brief(site.node.func)} creates a session without the NPU entry"
    yield site.finding(RULE, Status.AUTO, found, done=done, fix=fix)
