"""Replace apex' normalisation layers by those of torch."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.rules.torch import _apex
from ascendify.source.nodes import call_of

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

_LAYERS = {
    "FusedLayerNorm": "nn.LayerNorm",
    "MixedFusedLayerNorm": "nn.LayerNorm",
    "FusedRMSNorm": "nn.RMSNorm",
    "MixedFusedRMSNorm": "nn.RMSNorm",
}
_EPSILON = "eps=1e-05"
"""The default of apex' RMS norm; that of torch depends on the type of the input."""


@RULE.reference("apex.normalization.*")
def replace(site: Site) -> Diagnoses:
    """Replace the class, called or not."""
    found = f"{site.text} is a CUDA kernel of apex"
    new = _LAYERS.get(site.name.rpartition(".")[2])
    if new is None:
        todo = "Use torch.nn.functional.layer_norm or rms_norm with the same weight and bias."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    fix.replace(site.node, _apex.use_torch(fix, site, new))
    call = call_of(site.node)
    given = {item.arg for item in call.keywords} if call is not None else set()
    needs_epsilon = new == "nn.RMSNorm" and "eps" not in given
    if given & {"memory_efficient", None} or (needs_epsilon and call is None):
        todo = f"Use torch.{new}, without memory_efficient, and with {_EPSILON} unless it is given."
        yield RULE.manual(site, found, todo=todo)
        return
    if call is not None and needs_epsilon and len(call.args) < 2:
        fix.add_argument(call, _EPSILON)
    yield RULE.auto(site, found, done=f"Replaced it by torch.{new}.", fix=fix)
