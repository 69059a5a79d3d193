"""Horovod's callbacks for metrics and learning rates, and its launcher in Python."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Fix, Rule, Status, names
from ascendify.rules.tf2 import _ranks
from ascendify.rules.tf2._graphs import outside_graphs
from ascendify.source.nodes import given_value, keyword_value
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-HVD-12",
    title="Average metrics and warm up learning rates without Horovod",
    why=(
        "Callbacks of Horovod average the metrics of all ranks and raise the learning rate in the "
        "first epochs. An NPU machine has no Horovod; the callbacks need no more than a reduction."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="horovod.run(main, np=4)",
    after="main()",
    safety=(
        "The callbacks do what Horovod's do: with one rank they change nothing. The warm-up leaves "
        "an optimizer's momentum as it is."
    ),
)

_AVERAGE = '''\
def {{name}}():
{indent}"""Callback that averages the metrics of each epoch over the ranks."""
{indent}class Average({tf}.keras.callbacks.Callback):
{indent}{indent}def on_epoch_end(self, epoch, logs=None):
{indent}{indent}{indent}for name, value in sorted((logs or dict()).items()):
{indent}{indent}{indent}{indent}value = {tf}.constant(float(value), {tf}.float32)
{indent}{indent}{indent}{indent}logs[name] = float({function}(value, 'mean'))

{indent}return Average()'''
_WARMUP = '''\
def {{name}}(initial_lr, warmup_epochs=5, steps_per_epoch=None):
{indent}"""Callback that raises the learning rate from that of one device to that of all ranks."""
{indent}class Warmup({tf}.keras.callbacks.Callback):
{indent}{indent}epoch = 0

{indent}{indent}def on_epoch_begin(self, epoch, logs=None):
{indent}{indent}{indent}self.epoch = epoch

{indent}{indent}def on_train_batch_begin(self, batch, logs=None):
{indent}{indent}{indent}if self.epoch < warmup_epochs:
{indent}{indent}{indent}{indent}steps, ranks = steps_per_epoch or self.params['steps'], {ranks}
{indent}{indent}{indent}{indent}done = (self.epoch + (batch + 1) / steps) / warmup_epochs
{indent}{indent}{indent}{indent}rate = initial_lr / ranks * (done * (ranks - 1) + 1)
{indent}{indent}{indent}{indent}{tf}.keras.backend.set_value(self.model.optimizer.lr, rate)

{indent}return Warmup()'''
_KEPT = ("initial_lr", "warmup_epochs", "steps_per_epoch")


@RULE.call(*(f"{module}.callbacks.MetricAverageCallback" for module in _horovod.KERAS))
@outside_graphs
def average(site: CallSite) -> Diagnoses:
    """``hvd.callbacks.MetricAverageCallback()``."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    fix = site.fix()
    text = _filled(fix, _AVERAGE)
    fix.replace(site.node, f"{fix.define(text, 'npu_average_callback', site.node)}()")
    yield RULE.auto(
        site,
        f"{site.callee} averages metrics with Horovod",
        done="Replaced it by a callback of the file's own that calls npu_device's all_reduce().",
        fix=fix,
    )


@RULE.call(*(f"{module}.callbacks.LearningRateWarmupCallback" for module in _horovod.KERAS))
@outside_graphs
def warm_up(site: CallSite) -> Diagnoses:
    """``hvd.callbacks.LearningRateWarmupCallback(initial_lr=rate, warmup_epochs=3)``."""
    node = site.node
    rate = given_value(node, "initial_lr", 0)
    if not _horovod.is_direct(site.file, node.func) or rate is None or site.args.starred:
        return
    if len(node.args) > 1 or (node.args and keyword_value(node, "warmup_epochs") is None):
        return  # older releases of Horovod have the number of epochs first
    kept = [(item.arg, item.value) for item in node.keywords if item.arg in _KEPT]
    fix = site.fix()
    name = fix.define(_filled(fix, _WARMUP), "npu_warmup_callback", node)
    given = [site.file.text(item) for item in node.args]
    given += [f"{key}={site.file.text(value)}" for key, value in kept]
    fix.replace(node, f"{name}({', '.join(given)})")
    yield RULE.auto_check(
        site,
        f"{site.callee} is Horovod's",
        done="Replaced it by a callback of the file's own with the same learning rates.",
        todo="An optimizer's momentum is not corrected at every change of the rate.",
        fix=fix,
    )


@RULE.call("horovod.run")
@outside_graphs
def call_itself(site: CallSite) -> Diagnoses:
    """``horovod.run(main, np=4)``: the launcher starts the processes, each of which runs main."""
    function, args = given_value(site.node, "func", 0), given_value(site.node, "args", 1)
    kwargs = given_value(site.node, "kwargs", 2)
    if not isinstance(parent(site.node), ast.Expr) or function is None or site.args.starred:
        return
    file, fix = site.file, site.fix()
    parts = [f"*{_unpacked(fix, args)}"] if args is not None else []
    parts += [f"**{_unpacked(fix, kwargs)}"] if kwargs is not None else []
    fix.replace(site.node, f"{file.text(function)}({', '.join(parts)})")
    yield RULE.auto_check(
        site,
        f"{site.callee} starts processes with Horovod",
        done=f"Called {file.brief(function, 40)} itself, in each process.",
        todo="Start one process for each device, with ascendify launch or ascendify scaffold.",
        fix=fix,
    )


def _unpacked(fix: Fix, node: ast.expr) -> str:
    """An expression behind a star; a tuple or a dictionary has brackets of its own."""
    return fix.text(node) if isinstance(node, (ast.Tuple, ast.Dict)) else fix.operand(node)


def _filled(fix: Fix, text: str) -> str:
    tensorflow = names.tensorflow(fix, fix.module.tree)
    ranks = _ranks.size(fix) if "{ranks}" in text else ""
    function = _ranks.function(fix, "all_reduce") if "{function}" in text else ""
    return text.format(tf=tensorflow, indent=fix.indent_unit, ranks=ranks, function=function)
