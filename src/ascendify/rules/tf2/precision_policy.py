"""Keras's policies of mixed precision: which ones an NPU supports."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Site, Status
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow import host
from ascendify.rules.tf2 import _loss_scale, _options
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-PREC-2",
    title="Choose one way to mixed precision, and a type the NPU has",
    why=(
        "A Keras policy casts in the layers, the NPU's precision mode casts in the compiled graph. "
        "Both at once cast twice and are hard to compare. " + advice.text("bfloat16-hardware")
    ),
    statuses=(Status.MANUAL,),
    before="tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')",
)

_MODES = ("precision_mode", "precision_mode_v2")
_PLAIN = frozenset({"must_keep_origin_dtype", "origin", "force_fp32"})
"""Precision modes that keep the program's types."""


@RULE.call(_loss_scale.SET_POLICY, _loss_scale.POLICY)
def check_policy(site: CallSite) -> Diagnoses:
    """Look at the policy that is named."""
    file = site.file
    value = site.node.args[0] if site.node.args else None
    if value is None and site.node.keywords:
        value = site.node.keywords[0].value
    named = () if value is None else file.literal(value) or ()
    if in_test(file, site.node):
        return
    if "mixed_bfloat16" in named:
        yield RULE.manual(
            site,
            f"{site.brief} makes layers compute in bfloat16, which not every NPU has",
            todo=(
                "Nothing on a 910B or later. For a 910A use mixed_float16, whose loss scale "
                "NpuLossScaleOptimizer keeps, or float32 layers and --precision-mode "
                "allow_mix_precision."
            ),
        )
    requested = _requested(file)
    if "mixed_float16" in named and requested and not _PLAIN.issuperset(requested):
        yield RULE.manual(
            site,
            f"{site.brief} and the NPU option precision_mode={requested[0]} both mix precisions",
            todo=(
                "Keep one: without the policy the loss still needs NpuLossScaleOptimizer; with "
                "it, set the precision mode must_keep_origin_dtype."
            ),
        )


def _requested(file: File) -> list[str]:
    """The precision modes that were requested, or that the file sets."""
    requested = [
        str(file.facts.npu_options[mode]) for mode in _MODES if mode in file.facts.npu_options
    ]
    for use in _options.stores(file):
        assign = parent(use.node)
        if use.path in _MODES and isinstance(assign, ast.Assign):
            requested += [
                item for item in file.literal(assign.value) or () if isinstance(item, str)
            ]
    return requested


@RULE.reference("tf2.bfloat16")
def report_type(site: Site) -> Diagnoses:
    """A tensor of bfloat16 is made; comparisons with the type are not."""
    owner = parent(site.node)
    if isinstance(owner, ast.keyword):
        owner = parent(owner)
    if not isinstance(owner, ast.Call) or owner.func is site.node:
        return
    names, _ = site.file.names(owner.func)
    if any(name.startswith("tf2.") for name in names):
        diagnosis = RULE.manual(
            site,
            f"{site.file.brief(owner.func)} makes a bfloat16 tensor, which not every NPU has",
            todo=advice.text("bfloat16-tensorflow"),
        )
        yield from host.in_network(site.file, owner, diagnosis)
