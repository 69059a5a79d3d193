"""Replace apex' wrappers for distributed training by those of torch."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.torch import _apex
from ascendify.rules.torch._apex import ApexReplacement
from ascendify.source.nodes import call_of
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-APEX-2",
    title="Replace the parallel wrappers of apex",
    why=(
        "apex.parallel is built on CUDA streams and kernels. torch's DistributedDataParallel and "
        "SyncBatchNorm do the same over HCCL."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="model = apex.parallel.DistributedDataParallel(model, delay_allreduce=True)",
    after=("model = torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)"),
    safety=(
        "apex' wrapper never broadcasts buffers, so broadcast_buffers=False keeps the behaviour. "
        "If some parameters get no gradient, torch's wrapper needs find_unused_parameters=True."
    ),
)

_DDP = "apex.parallel.DistributedDataParallel"
_TARGETS = {
    _DDP: ApexReplacement(
        "nn.parallel.DistributedDataParallel",
        {"gradient_average": (True,), "gradient_average_split_factor": (None,)},
        (
            "message_size", "delay_allreduce", "retain_allreduce_buffers", "allreduce_always_fp32",
            "num_allreduce_streams", "prof", "allreduce_trigger_params", "shared_param",
            "allreduce_communicators", "gradient_predivide_factor",
        ),
    ),
    "apex.parallel.convert_syncbn_model": ApexReplacement(
        "nn.SyncBatchNorm.convert_sync_batchnorm", {"channel_last": (False,)}
    ),
    "apex.parallel.SyncBatchNorm": ApexReplacement(
        "nn.SyncBatchNorm", {"channel_last": (False,), "fuse_relu": (False,)}
    ),
}  # fmt: skip


@RULE.call(*_TARGETS)
def replace(site: CallSite) -> Diagnoses:
    """Call torch's class or function, without the arguments that only tune apex."""
    target = _TARGETS[site.name]
    fix = _apex.replace_call(site, target)
    found = f"{site.callee} comes from apex, which needs CUDA"
    done = f"Replaced it by torch.{target.name}"
    if fix is None:
        yield RULE.manual(
            site,
            f"{site.brief} has arguments that torch.{target.name} does not take",
            todo=f"Use torch.{target.name}, which has no {' and no '.join(target.required)}.",
        )
    elif site.name == _DDP:
        fix.add_argument(site.node, "broadcast_buffers=False")
        yield RULE.auto_check(
            site,
            found,
            done=f"{done} with broadcast_buffers=False: apex does not broadcast buffers either.",
            todo="If torch reports parameters without gradient, add find_unused_parameters=True.",
            effort=Effort.NONE,
            fix=fix,
        )
    else:
        yield RULE.auto(site, found, done=f"{done}.", fix=fix)


@RULE.reference("apex.parallel.*")
def report_mention(site: Site) -> Diagnoses:
    """Rename the class in isinstance tests; report any other use that is not a call."""
    target = _TARGETS.get(site.name)
    if target is not None and call_of(site.node) is not None:
        return
    test = parent(site.node)
    function = site.file.name(getattr(test, "func", site.node))
    if target is not None and function in ("builtins.isinstance", "builtins.issubclass"):
        fix = site.fix()
        fix.replace(site.node, _apex.use_torch(fix, site, target.name))
        yield RULE.auto(
            site,
            f"{site.file.brief(test)} tests for a class of apex",
            done=f"Tested for torch.{target.name} instead.",
            fix=fix,
        )
        return
    if target is not None:
        extra = "(model, broadcast_buffers=False)" if site.name == _DDP else ""
        todo = f"Use torch.{target.name}{extra}."
    elif site.name.endswith(".LARC"):
        todo = "It is plain Python: copy the class into the project, or use timm's Lars."
    else:
        todo = "Use torch.distributed and torch.nn.parallel.DistributedDataParallel."
    yield RULE.manual(site, f"{site.text} comes from apex", todo=todo)
