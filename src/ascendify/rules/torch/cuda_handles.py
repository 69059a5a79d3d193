"""Rename the attributes with the raw handles of streams and events."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.torch import _edits

RULE = Rule(
    code="TORCH-CUDA-7",
    title="Use npu_stream and npu_event for the handles of streams and events",
    why=(
        "A stream of torch.npu has no attribute cuda_stream, and an event no cuda_event: reading "
        "them raises an error. They are mostly passed to a custom kernel, which must be built for "
        "an NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    raises=True,
    before="kernel(x, torch.cuda.current_stream().cuda_stream)",
    after="kernel(x, torch.cuda.current_stream().npu_stream)",
    safety="The handle is a stream of CANN's runtime, which a CUDA kernel cannot use.",
)
_NAMES = {"cuda_stream": "npu_stream", "cuda_event": "npu_event"}
_KINDS = tuple(
    f"torch.{device}.{kind}" for device in ("cuda", "npu") for kind in ("Stream", "Event",
    "ExternalStream")
)  # fmt: skip


@RULE.method(*_NAMES)
def rename(site: MethodSite) -> Diagnoses:
    """Rename with transfer_to_npu too, which does not replace these attributes."""
    spelled = site.brief
    new = _NAMES[site.name]
    todo = "Check that the code that gets the handle is built for NPUs: CUDA kernels cannot use it."
    if site.known is not None and site.known.rpartition(".")[0] in _KINDS:
        fix = site.fix()
        _edits.rename(fix, site.node, new)
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
