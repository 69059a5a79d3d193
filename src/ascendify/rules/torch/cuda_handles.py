"""The raw handle of a stream or event has another name on an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.torch import _words

RULE = Rule(
    code="TORCH-CUDA-7",
    title="Take npu_stream and npu_event for the handles of streams and events",
    why=(
        "A stream of torch.npu has no attribute cuda_stream, and an event no cuda_event: reading "
        "them raises. What they are handed to is a kernel of one's own, which must be one for an "
        "NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="kernel(x, torch.cuda.current_stream().cuda_stream)",
    after="kernel(x, torch.cuda.current_stream().npu_stream)",
    safety="The handle is a stream of CANN's runtime: a CUDA kernel cannot take it.",
)
_NAMES = {"cuda_stream": "npu_stream", "cuda_event": "npu_event"}
_KINDS = tuple(
    f"torch.{device}.{kind}" for device in ("cuda", "npu") for kind in ("Stream", "Event",
    "ExternalStream")
)  # fmt: skip


@RULE.method(*_NAMES)
def rename(site: MethodSite) -> Diagnoses:
    """Also with the vendor's switch, which does not know these attributes."""
    spelled = site.brief
    new = _NAMES[site.name]
    todo = "See that what takes the handle is made for an NPU: a CUDA kernel cannot use it."
    if site.known is not None and site.known.rpartition(".")[0] in _KINDS:
        fix = site.fix()
        _words.rename(fix, site.node, new)
        yield RULE.auto_check(
            site,
            f"{spelled} is the handle of a GPU's stream or event",
            done=f"Replaced {site.name} by {new}.",
            todo=todo,
            fix=fix,
        )
    elif site.known is None:
        yield RULE.manual(
            site,
            f"{spelled} may be the handle of a GPU's stream or event",
            todo=f"If it is, write {new} for {site.name}. {todo}",
        )
