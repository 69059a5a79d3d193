"""tf.distribute strategies: the default one takes their place, because a process has one device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Fix, Rule, Status, names, ranks
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow import devices
from ascendify.rules.tf2 import _ranks
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name, call_of, last_name, string
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DIST-1",
    title="Train with one process a device under the default strategy",
    why=(
        "tf.distribute strategies place copies of the model on the GPUs of one process. An NPU is "
        "not among the devices they see: on NPUs one process drives each device, and inside it "
        "the default strategy has one replica."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.BLOCKER, Status.INFO),
    before="strategy = tf.distribute.MirroredStrategy()",
    after="strategy = tf.distribute.get_strategy()",
    safety=(
        "scope(), run(), reduce() and the other methods go on to work, with one replica: "
        "num_replicas_in_sync is 1 in every process. Other rules reduce the gradients between "
        "processes and divide the data."
    ),
)

_SPACES = ("tf2.distribute", "tf2.distribute.experimental")
_CLASSES = ("MirroredStrategy", "MultiWorkerMirroredStrategy", "CentralStorageStrategy")
_STRATEGIES = tuple(f"{space}.{cls}" for space in _SPACES for cls in _CLASSES)
_ONE_DEVICE = "tf2.distribute.OneDeviceStrategy"
_TPU = ("tf2.distribute.TPUStrategy", "tf2.distribute.experimental.TPUStrategy")
_SERVERS = (
    "tf2.distribute.ParameterServerStrategy",
    "tf2.distribute.experimental.ParameterServerStrategy",
    "tf2.distribute.coordinator.ClusterCoordinator",
    "tf2.distribute.experimental.coordinator.ClusterCoordinator",
)
_RESOLVERS = "tf2.distribute.cluster_resolver"
_ASKED = frozenset({"task_type", "task_id", "cluster_spec", "master", "num_accelerators"})
"""What a strategy's resolver is asked for."""
_DEVICES = frozenset({"worker_devices", "parameter_devices"})
"""Attributes that the default strategy refuses to return."""


@RULE.call(*_STRATEGIES)
def replace_strategy(site: CallSite) -> Diagnoses:
    """``MirroredStrategy(...)``: the strategy that is there without one."""
    file = site.file
    fix = site.fix()
    fix.replace(site.node, _default(fix, site.node))
    kept = list(_counts(file))
    todo = "Start one process a device, with ascendify launch or ascendify scaffold."
    if kept:
        lines = ", ".join(str(node.lineno) for node in kept[:5])
        todo += (
            f" num_replicas_in_sync (line {lines}) is 1 now: a batch that it multiplied is the "
            "batch of all devices together, which shard_and_rebatch_dataset() divides. Raise it "
            "by the number of devices to keep what each of them gets."
        )
    yield RULE.auto_check(
        site,
        f"{site.callee} spreads the model over the GPUs of one process",
        done="Replaced it by the default strategy, which has one replica.",
        todo=todo,
        fix=fix,
    )


@RULE.call(_ONE_DEVICE)
def replace_one_device(site: CallSite) -> Diagnoses:
    """``OneDeviceStrategy('/gpu:0')``; for one of the CPU the NPU is used anyway."""
    device = site.args.value("device")
    text = "" if device is None else string(device) or ""
    if "cpu" in text.lower():
        return
    fix = site.fix()
    fix.replace(site.node, _default(fix, site.node))
    yield RULE.auto(
        site,
        f"{site.brief} names a device that is not there",
        done="Replaced it by the default strategy, which has one replica as well.",
        fix=fix,
    )


def _default(fix: Fix, node: ast.Call) -> str:
    """The default strategy, by the user's own name for TensorFlow."""
    func = node.func
    if isinstance(func, ast.Attribute):
        space: ast.expr = func.value
        if last_name(space) == "experimental" and isinstance(space, ast.Attribute):
            space = space.value
        if last_name(space) == "distribute":
            return f"{fix.text(space)}.get_strategy()"
    return f"{names.tensorflow(fix, node)}.distribute.get_strategy()"


def _counts(file: File) -> Iterator[ast.Attribute]:
    """Where the number of replicas is multiplied or divided by."""
    for node in file.module.index.ending(frozenset({"num_replicas_in_sync"})):
        if isinstance(node, ast.Attribute) and isinstance(parent(node), (ast.BinOp, ast.AugAssign)):
            yield node


@RULE.call(*_TPU)
def report_tpu(site: CallSite) -> Diagnoses:
    """A strategy for TPUs cannot run; one that a switch for TPUs guards is never reached."""
    yield devices.needs_tpu(
        RULE,
        site,
        f"{site.callee} needs a TPU",
        "Use tf.distribute.get_strategy() and start one process a device.",
    )


@RULE.call(*_SERVERS)
def report_servers(site: CallSite) -> Diagnoses:
    """Parameter servers have no counterpart."""
    yield RULE.blocker(
        site,
        f"{site.callee} trains with parameter servers, which NPUs do not have",
        todo=(
            "Train synchronously: tf.distribute.get_strategy(), one process a device, gradients "
            "reduced with npu_device.distribute.all_reduce(), and the data divided with "
            "npu_device.distribute.shard_and_rebatch_dataset()."
        ),
    )


@RULE.call(f"{_RESOLVERS}.*")
def report_resolver(site: CallSite) -> Diagnoses:
    """Report a resolver that finds the workers of a cluster, if it serves more than a strategy."""
    if site.name == f"{_RESOLVERS}.TPUClusterResolver":
        yield devices.needs_tpu(
            RULE, site, f"{site.callee} needs a TPU", "Remove it together with its strategy."
        )
        return
    if site.name.count(".") > _RESOLVERS.count(".") + 1:
        return  # a method of a strategy
    target = assigned_name(site.node)
    if target is not None and not any(True for _ in reads(target)):
        fix = site.fix()
        fix.remove_statement(site.node)
        yield RULE.auto(
            site,
            f"{site.callee} looks for the workers of a cluster of TensorFlow's",
            done="Removed it: nothing uses it, and the launcher connects the ranks.",
            fix=fix,
        )
        return
    fix = site.fix()
    fix.provisional = True
    yield RULE.manual(
        site,
        f"{site.callee} looks for the workers of a cluster of TensorFlow's",
        todo=(
            "Remove it. Ranks on NPUs find each other by RANK_ID, RANK_SIZE and RANK_TABLE_FILE, "
            "which the launcher sets: int(os.getenv('RANK_ID', '0')) is the index of this worker."
        ),
        fix=fix,
    )


@RULE.file
def tell_rank(file: File) -> Diagnoses:
    """``strategy.cluster_resolver.task_id``: the default strategy has None for a resolver."""
    for node in file.module.index.ending(_ASKED):
        resolver = node.value if isinstance(node, ast.Attribute) else None
        if not isinstance(resolver, ast.Attribute) or resolver.attr != "cluster_resolver":
            continue
        held, _ = file.resolver.kinds(file.module, resolver.value)
        if in_test(file, node) or not any(kind.startswith("tf2.distribute.") for kind in held):
            continue
        asked = last_name(node)
        whole = call_of(node) if asked == "cluster_spec" else node
        fix = file.fix()
        told = _answer(fix, asked)
        if not told or whole is None:
            yield RULE.manual(
                file.at(node),
                f"{file.brief(resolver)} is None for the default strategy",
                todo=(
                    "Ask the environment: int(os.getenv('RANK_ID', '0')) is the index of this "
                    "worker, and int(os.getenv('RANK_SIZE', '1')) the number of workers."
                ),
                raises=True,
            )
            continue
        fix.replace(whole, told)
        yield RULE.auto_check(
            file.at(whole),
            f"{file.brief(whole)} asks a resolver, which is None for the default strategy",
            done=f"Replaced it by {told}.",
            todo="All ranks are workers, and rank 0 is the one that other programs call chief.",
            fix=fix,
        )


def _answer(fix: Fix, asked: str) -> str:
    """What a resolver would answer, as an expression; empty where ranks have no such thing."""
    if asked == "task_type":
        return "'worker'"
    if asked == "task_id":
        return ranks.rank(fix)
    if asked == "cluster_spec":
        tensorflow = names.tensorflow(fix, fix.module.tree)
        workers = f"['rank %d' % rank for rank in range({_ranks.size(fix)})]"
        return f"{tensorflow}.train.ClusterSpec({{'worker': {workers}}})"
    return ""


@RULE.file
def report_devices(file: File) -> Diagnoses:
    """``strategy.extended.worker_devices``: the default strategy raises an error there."""
    for node in file.module.index.ending(_DEVICES):
        named = isinstance(node, ast.Attribute) and last_name(node.value) == "extended"
        if named and not in_test(file, node):
            yield RULE.manual(
                file.at(node),
                f"{file.brief(node)} needs the devices, which the default strategy does not list",
                todo="Use 1 for their number: each process has one device.",
            )
