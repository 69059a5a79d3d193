"""Let DistributedDataParallel copy and send less, where that changes no number."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, names
from ascendify.rules.torch import _fused_optimizers, _together, _tune

_HELPER = '''def {name}(model):
    """Whether processes may come to have other buffers: SyncBatchNorm keeps its own alike."""
    alike = @TORCH.nn.SyncBatchNorm
    owners = (part for part in model.modules() if not isinstance(part, alike))
    return any(True for part in owners for _ in part.buffers(recurse=False))'''

RULE = Rule(
    code="TORCH-TUNE-8",
    title="Let DistributedDataParallel copy and send less",
    why=(
        "DistributedDataParallel copies each gradient into a bucket that is sent, and back: with "
        "gradient_as_bucket_view=True gradients live in the buckets. Before every forward pass it "
        "sends the buffers of process 0 to the others, which is needed only where they may "
        "differ; with SyncBatchNorm they are computed from all samples in every process. More than "
        "half of the models that people have migrated to NPUs by hand send no buffers. torch_npu "
        "sends all gradients as one bucket unless find_unused_parameters is set, so bucket_cap_mb "
        "stays. Source: the page of PyTorch on DistributedDataParallel."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])",
    after=(
        "model = torch.nn.parallel.DistributedDataParallel("
        "model, device_ids=[rank], gradient_as_bucket_view=True)"
    ),
    safety=(
        "Gradients are then parts of buckets: nothing may detach them in place or put other "
        "tensors in their place. What the text shows of that is checked."
    ),
)
_VIEW = "gradient_as_bucket_view"
_BUFFERS = "broadcast_buffers"
_REPLACED = ("detach_(", ".grad =", "static_graph", "register_comm_hook", "no_sync", "NpuFused")
"""Words of programs that treat gradients in a way that views of buckets may not allow."""


@RULE.call("torch.nn.parallel.DistributedDataParallel")
def set_options(site: CallSite) -> Diagnoses:
    """Keep gradients in buckets, and send buffers only where they may differ."""
    args = site.args
    model = args.value("module")
    if args.starred or args.surplus or model is None:
        return
    fix = site.fix()
    texts = []
    if _VIEW not in args and _may_view(site.file):
        texts.append(f"{_VIEW}=True")
    if _BUFFERS not in args and _synchronises(site.file):
        helper = _HELPER.replace("@TORCH", names.torch(site.file, fix, site.node))
        name = fix.define(helper, "buffers_differ", site.node)
        texts.append(f"{_BUFFERS}={name}({site.file.text(model)})")
    if not texts:
        return
    fix.add_argument(site.node, ", ".join(texts))
    yield _tune.rewrite_or_note(
        RULE,
        site.file,
        site.node,
        f"{site.callee} copies or sends more than it must",
        done=f"Added {' and '.join(texts)}.",
        fix=fix,
    )


def _may_view(file: File) -> bool:
    """Whether gradients may live in buckets: nothing replaces them, no fused optimizer has them."""
    return _together.once(file, _leaves_gradients)


def _leaves_gradients(file: File) -> bool:
    return next(_together.files_with(file, *_REPLACED), None) is None and not (
        _fused_optimizers.is_used(file)
    )


def _synchronises(file: File) -> bool:
    """Whether the program computes batch normalization from the samples of all processes."""
    return next(_together.files_with(file, "SyncBatchNorm", "sync_batchnorm"), None) is not None
