"""tf.distribute strategies: remove them, because one process drives one device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Fix, Rule, Status
from ascendify.rules.tensorflow import devices
from ascendify.rules.tensorflow.passing import origins
from ascendify.rules.tf1 import _npu, _strategy

RULE = Rule(
    code="TF1-DIST-1",
    title="Train with one process per device instead of a strategy",
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
    """Remove the strategies of this file and their uses, or report what prevents it."""
    done: set[ast.AST] = set()
    for site in file.calls(*_strategy.STRATEGIES):
        if site.node in done:
            continue
        found = _strategy.plan(file, site.node)
        done.update(call for module, call in found.made if module is file.module)
        fixes = [] if found.trouble is not None else _strategy.remove(file, found)
        if not fixes:
            trouble = found.trouble[1] if found.trouble is not None else site.node
            if trouble not in done:  # several strategies with one reason are reported once
                done.add(trouble)
                yield _by_hand(site, found)
        for use, fix in fixes:
            if use is not None:
                yield _rewritten(file, use, fix)
                continue
            yield RULE.auto_check(
                site,
                f"{file.brief(site.node.func)} spreads the model over the GPUs of one process",
                done="Removed the strategy and rewrote what used it.",
                todo=f"Start one process per device. {_BATCHES}",
                fix=fix,
            )


def _rewritten(file: File, use: ast.Attribute, fix: Fix) -> Diagnosis:
    return RULE.auto(
        file.at(use),
        f"{file.brief(use)} uses a strategy that is removed",
        done="Rewrote it without the strategy.",
        fix=fix,
    )


def _by_hand(site: CallSite, found: _strategy.StrategyPlan) -> Diagnosis:
    module, node = found.trouble or (site.file.module, site.node)
    where = "" if module is site.file.module else f"{module.path} "
    line = f"({where}line {getattr(node, 'lineno', 1)})"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        reason = f"what the callers of {node.name}() {line} do with it cannot be seen"
    else:
        reason = f"{site.file.of(module).brief(node)} {line} depends on it"
    return RULE.manual(
        site,
        f"{site.callee} spreads the model over the GPUs of one process, and {reason}",
        todo=(
            "Remove the strategy by hand: keep the body of with strategy.scope(), call what "
            f"experimental_run_v2 ran, use {_npu.RANK_SIZE} for num_replicas_in_sync, shard "
            "datasets by RANK_SIZE and RANK_ID, wrap optimizers in "
            "npu_distributed_optimizer_wrapper(), and start one process per device with its share "
            "of the batch."
        ),
        effort=Effort.HOURS,
    )


@RULE.file
def follow_strategies(file: File) -> Diagnoses:
    """Remove the uses of strategies that another file makes."""
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
                yield _rewritten(file, use, fix)
                continue
            yield RULE.auto_check(
                file.at(node),
                f"{file.brief(node)} needs the strategy that {module.path} makes",
                done="Rewrote this and all other uses in the file without the strategy.",
                todo=_BATCHES,
                fix=fix,
            )


@RULE.call(*_TPU)
def report_tpu(site: CallSite) -> Diagnoses:
    """A strategy for TPUs, which cannot run."""
    todo = "Train with one process per device and wrapped optimizers instead of this strategy."
    yield devices.needs_tpu(RULE, site, f"{site.callee} needs a TPU", todo)
