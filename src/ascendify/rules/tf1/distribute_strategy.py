"""tf.distribute strategies: removed, because one process drives one device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Fix, Rule, Status
from ascendify.rules.tf1 import _devices, _strategy
from ascendify.rules.tf1._estimator_flow import origins

RULE = Rule(
    code="TF1-DIST-1",
    title="Train with one process a device instead of a strategy",
    why=(
        "tf.distribute strategies place copies of the model on the GPUs of one process. TensorFlow "
        "does not see NPUs as devices; on the NPU one process drives each of them."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.BLOCKER, Status.INFO),
    before=(
        "strategy = tf.distribute.MirroredStrategy()\n"
        "with strategy.scope():\n"
        "    model = build_model()"
    ),
    after="model = build_model()",
    safety=(
        "Gradients are averaged by wrapped optimizers between processes. A batch size that was "
        "divided among the GPUs is now taken by every process for itself."
    ),
)

_BATCHES = (
    "With Keras, and with datasets that a strategy distributed, the batch size was that of all "
    "devices together: divide it, and the steps of an epoch, by the number of devices. The "
    "input_fn of an Estimator already gave the batch of one device."
)
_TPU = ("tf.distribute.experimental.TPUStrategy", "tf.contrib.distribute.TPUStrategy",
        "tf.compat.v2.distribute.experimental.TPUStrategy")  # fmt: skip


@RULE.file
def remove_strategies(file: File) -> Diagnoses:
    """Remove strategies made in this file together with their uses here, or tell what stops it."""
    done: set[ast.AST] = set()
    for site in file.calls(*_strategy.STRATEGIES):
        if site.node in done:
            continue
        found = _strategy.plan(file, site.node)
        done.update(call for module, call in found.made if module is file.module)
        fixes = [] if found.trouble is not None else _strategy.remove(file, found)
        if not fixes:
            trouble = found.trouble[1] if found.trouble is not None else site.node
            if trouble not in done:  # several strategies, one reason: told once
                done.add(trouble)
                yield _by_hand(site, found)
        for use, fix in fixes:
            if use is not None:
                yield _asked(file, use, fix)
                continue
            yield RULE.auto_check(
                site,
                f"{file.brief(site.node.func)} spreads the model over the GPUs of one process",
                done="Removed the strategy: what it was asked for is done without it.",
                todo=f"Start one process a device. {_BATCHES}",
                fix=fix,
            )


def _asked(file: File, use: ast.Attribute, fix: Fix) -> Diagnosis:
    return RULE.auto(
        file.at(use),
        f"{file.brief(use)} asks a strategy that is removed",
        done="Did without the strategy here.",
        fix=fix,
    )


def _by_hand(site: CallSite, found: _strategy.Plan) -> Diagnosis:
    module, node = found.trouble or (site.file.module, site.node)
    where = "" if module is site.file.module else f"{module.path} "
    line = f"({where}line {getattr(node, 'lineno', 1)})"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        reason = f"what the callers of {node.name}() {line} do with it cannot be seen"
    else:
        reason = f"{site.file.of(module).brief(node)} {line} builds on it"
    return RULE.manual(
        site,
        f"{site.callee} spreads the model over the GPUs of one process, and {reason}",
        todo=(
            "Remove the strategy by hand: keep the body of with strategy.scope(), call what "
            "experimental_run_v2 ran, take int(os.getenv('RANK_SIZE', '1')) for "
            "num_replicas_in_sync, shard datasets by RANK_SIZE and RANK_ID, wrap optimizers in "
            "npu_distributed_optimizer_wrapper(), and start one process a device with its share "
            "of the batch."
        ),
        effort=Effort.HOURS,
    )


@RULE.file
def follow_strategies(file: File) -> Diagnoses:
    """Do without strategies that other files make and lose."""
    done: set[ast.AST] = set()
    for node in file.module.index.ending(_strategy.USES):
        if not isinstance(node, ast.Attribute) or node in done:
            continue
        sources = origins(file.resolver, file.module, node.value).calls
        if not sources or any(module is file.module for module, _ in sources):
            continue  # the file that makes it removes it together with its uses there
        module, call = sources[0]
        other = file.of(module)
        if other.name(call.func) not in _strategy.STRATEGIES:
            continue
        found = _strategy.plan(other, call)
        done.update(item for where, item in found.attributes if where is file.module)
        if found.trouble is not None or node not in done:
            continue
        for use, fix in _strategy.remove(file, found):
            if use is not None:
                yield _asked(file, use, fix)
                continue
            yield RULE.auto_check(
                file.at(node),
                f"{file.brief(node)} needs the strategy that {module.path} makes",
                done="Did without the strategy, here and wherever else this file asked it.",
                todo=_BATCHES,
                fix=fix,
            )


@RULE.call(*_TPU)
def tell_tpu(site: CallSite) -> Diagnoses:
    """A strategy for TPUs cannot run; one that a switch for TPUs guards is never reached."""
    todo = "Train with one process a device and wrapped optimizers instead of this strategy."
    yield _devices.needs_tpu(RULE, site, site.callee, todo)
