"""Automatic mixed precision of TensorFlow: the NPU's precision mode instead."""

from __future__ import annotations

import ast
from dataclasses import replace

from ascendify.catalog import advice
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Site, Status
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.tf1 import precision_amp
from ascendify.rules.tf2 import _loss_scale
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TF2-PREC-1",
    title="Let the NPU's precision mode take the place of TensorFlow's graph rewrite",
    why=precision_amp.RULE.why,
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite("
        "tf.keras.optimizers.Adam())"
    ),
    after="opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.Adam())",
    safety=precision_amp.RULE.safety,
)

_REWRITES = (
    "tf.train.experimental.enable_mixed_precision_graph_rewrite",
    "tf2.train.experimental.enable_mixed_precision_graph_rewrite",
)
_FIELD = "auto_mixed_precision"
_MODES = ("precision_mode", "precision_mode_v2")


@RULE.call(*_REWRITES)
def replace_rewrite(site: CallSite) -> Diagnoses:
    """The optimizer stays and scales the loss the NPU's way."""
    if "tensorflow" in site.file.frameworks:
        return  # sessions of compat.v1 have the rule of TensorFlow 1
    found = f"{site.callee} rewrites the graph for GPUs and is not supported on an NPU"
    optimizer = site.node.args[0] if site.node.args else site.args.value("opt")
    scale = site.node.args[1] if len(site.node.args) > 1 else site.args.value("loss_scale")
    dynamic = scale is None or site.file.literal(scale) == ("dynamic",)
    number = scale is not None and isinstance(scale, ast.Constant) and not dynamic
    if optimizer is None or not (dynamic or number) or not is_direct(site.file, site.node.func):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Use npu_device.train.optimizer.NpuLossScaleOptimizer around the optimizer "
                f"instead. {_choose_mode(site.file)}"
            ).rstrip(),
        )
        return
    fix = site.fix()
    fixed = "" if scale is None or dynamic else f", dynamic=False, initial_scale={fix.text(scale)}"
    text = f"{_loss_scale.npu_optimizer(fix)}({fix.text(optimizer)}{fixed})"
    fix.replace(site.node, text)
    yield RULE.auto_check(
        site,
        found,
        done="Replaced it by the NPU's loss scale optimizer around the same optimizer.",
        todo=_choose_mode(site.file),
        fix=fix,
    )


@RULE.call("tf2.config.optimizer.set_experimental_options")
def switch_off_option(site: CallSite) -> Diagnoses:
    """``tf.config.optimizer.set_experimental_options({'auto_mixed_precision': True})``."""
    given = site.args.value("options")
    if not isinstance(given, ast.Dict):
        return
    for key, value in zip(given.keys, given.values):
        named = isinstance(key, ast.Constant) and key.value == _FIELD
        if not named or is_literal(value, False):
            continue
        fix = site.fix()
        fix.replace(value, "False")
        yield RULE.auto_check(
            site,
            f"{site.brief} rewrites the graph for GPUs",
            done=f"Set {_FIELD} to False; it was {site.file.brief(value, 40)}.",
            todo=_choose_mode(site.file),
            fix=fix,
        )


@RULE.reference("os.environ")
def switch_off_variable(site: Site) -> Diagnoses:
    """``os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1'``."""
    if "tensorflow" not in site.file.frameworks:
        for diagnosis in precision_amp.switch_off_variable(site):
            yield Diagnosis(replace(diagnosis.finding, code=RULE.code), diagnosis.fix)


def _choose_mode(file: File) -> str:
    requested = any(mode in file.facts.npu_options for mode in _MODES)
    return "" if requested else advice.text("mixed-precision")
