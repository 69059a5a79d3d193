"""Normalisation layers of apex: torch's own take their place."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, Rule, Site, Status
from ascendify.rules.torch import _apex

RULE = Rule(
    code="TORCH-APEX-3",
    title="Replace the normalisation layers of apex",
    why=(
        "FusedLayerNorm and FusedRMSNorm are CUDA kernels; torch.nn.LayerNorm and torch.nn.RMSNorm "
        "have the same parameters and run as one operator on an NPU."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="norm = apex.normalization.FusedLayerNorm(hidden, eps=1e-12)",
    after="norm = torch.nn.LayerNorm(hidden, eps=1e-12)",
)

_HOME = "apex.normalization"
_LAYERS = {
    "FusedLayerNorm": "nn.LayerNorm",
    "MixedFusedLayerNorm": "nn.LayerNorm",
    "FusedRMSNorm": "nn.RMSNorm",
    "MixedFusedRMSNorm": "nn.RMSNorm",
}
_EPSILON = "eps=1e-05"
"""What apex' RMS norm adds where nothing is said; torch's goes by the type of its input."""


@RULE.reference(f"{_HOME}.*")
def replace(site: Site) -> Diagnoses:
    """The class, called or not."""
    last = site.name.rpartition(".")[2]
    if last not in _LAYERS:
        yield RULE.manual(
            site,
            f"{site.text} is a CUDA kernel of apex",
            todo="Use torch.nn.functional.layer_norm or rms_norm with the same weight and bias.",
        )
        return
    new = _LAYERS[last]
    fix = site.fix()
    fix.replace(site.node, _apex.use_torch(fix, site, new))
    call = site.parent
    called = isinstance(call, ast.Call) and call.func is site.node
    if isinstance(call, ast.Call) and called:
        extra = next((item for item in call.keywords if item.arg == "memory_efficient"), None)
        if extra is not None or any(item.arg is None for item in call.keywords):
            yield _manual(site, new)
            return
        if new == "nn.RMSNorm" and len(call.args) < 2 and not _has(call, "eps"):
            fix.add_argument(call, _EPSILON)
    elif new == "nn.RMSNorm":
        yield _manual(site, new)
        return
    yield RULE.auto(
        site, f"{site.text} is a CUDA kernel of apex", done=f"Replaced it by torch.{new}.", fix=fix
    )


def _has(call: ast.Call, name: str) -> bool:
    return any(item.arg == name for item in call.keywords)


def _manual(site: Site, new: str) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.text} is a CUDA kernel of apex",
        todo=f"Use torch.{new}, without memory_efficient, and with {_EPSILON} unless it is given.",
    )
