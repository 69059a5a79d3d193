"""Wrappers of apex for several processes: torch's own take their place."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Rule, Site, Status
from ascendify.rules.torch import _apex

RULE = Rule(
    code="TORCH-APEX-2",
    title="Replace the parallel wrappers of apex",
    why=(
        "apex.parallel is built on CUDA streams and kernels. torch's DistributedDataParallel and "
        "SyncBatchNorm do the same through HCCL."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="model = apex.parallel.DistributedDataParallel(model, delay_allreduce=True)",
    after=("model = torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)"),
    safety=(
        "apex' wrapper never sends buffers again, so broadcast_buffers=False keeps what it does. "
        "Parameters that get no gradient need find_unused_parameters=True with torch's."
    ),
)

_DDP = "apex.parallel.DistributedDataParallel"
_CONVERT = "apex.parallel.convert_syncbn_model"
_SYNC = "apex.parallel.SyncBatchNorm"
_DDP_DROPPED = (
    "message_size", "delay_allreduce", "retain_allreduce_buffers", "allreduce_always_fp32",
    "num_allreduce_streams", "prof", "allreduce_trigger_params", "shared_param",
    "allreduce_communicators", "gradient_predivide_factor",
)  # fmt: skip
_DDP_OWN = {"gradient_average": (True,), "gradient_average_split_factor": (None,)}


@RULE.call(_DDP)
def wrap(site: CallSite) -> Diagnoses:
    """The wrapper, without what only tunes apex' own way."""
    file = site.file
    arguments = site.args
    if arguments.starred or not all(
        _apex.is_default(file, arguments.get(name), *values) for name, values in _DDP_OWN.items()
    ):
        yield _manual(site, "torch.nn.parallel.DistributedDataParallel", ", ".join(_DDP_OWN))
        return
    fix = site.fix()
    fix.replace(site.node.func, _apex.use_torch(fix, site, "nn.parallel.DistributedDataParallel"))
    fix.remove_arguments(site.node, _apex.dropped(site, (*_DDP_DROPPED, *_DDP_OWN)))
    fix.add_argument(site.node, "broadcast_buffers=False")
    todo = "Should torch complain of parameters without gradient, add find_unused_parameters=True."
    yield RULE.auto_check(
        site,
        f"{site.callee} is apex' wrapper for GPUs",
        done="Replaced it by torch's DistributedDataParallel, with buffers left alone as before.",
        todo=todo,
        effort=Effort.NONE,
        fix=fix,
    )


@RULE.call(_CONVERT)
def convert(site: CallSite) -> Diagnoses:
    """Batch normalisation over all processes."""
    file = site.file
    if site.args.starred or not _apex.is_default(file, site.args.get("channel_last"), False):
        yield _manual(site, "torch.nn.SyncBatchNorm.convert_sync_batchnorm", "channel_last")
        return
    fix = site.fix()
    fix.replace(
        site.node.func, _apex.use_torch(fix, site, "nn.SyncBatchNorm.convert_sync_batchnorm")
    )
    fix.remove_arguments(site.node, _apex.dropped(site, ("channel_last",)))
    yield RULE.auto(
        site,
        f"{site.callee} puts in apex' CUDA kernels",
        done="Replaced it by torch.nn.SyncBatchNorm.convert_sync_batchnorm.",
        fix=fix,
    )


@RULE.call(_SYNC)
def sync_layer(site: CallSite) -> Diagnoses:
    """The layer itself."""
    file = site.file
    own = ("channel_last", "fuse_relu")
    if site.args.starred or not all(
        _apex.is_default(file, site.args.get(name), False) for name in own
    ):
        yield _manual(site, "torch.nn.SyncBatchNorm", ", ".join(own))
        return
    fix = site.fix()
    fix.replace(site.node.func, _apex.use_torch(fix, site, "nn.SyncBatchNorm"))
    fix.remove_arguments(site.node, _apex.dropped(site, own))
    yield RULE.auto(
        site,
        f"{site.callee} is a CUDA kernel of apex",
        done="Replaced it by torch.nn.SyncBatchNorm.",
        fix=fix,
    )


def _manual(site: CallSite, target: str, missing: str) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.brief} has arguments that {target} cannot be given",
        todo=f"Use {target}; {missing} have no counterpart there.",
    )


@RULE.reference("apex.parallel.*")
def mentioned(site: Site) -> Diagnoses:
    """Tests of a type change their class; what else there is, a person looks at."""
    around = site.parent
    if (
        isinstance(around, ast.Call)
        and around.func is site.node
        and site.name in (_DDP, _SYNC, _CONVERT)
    ):
        return
    targets = {_DDP: "nn.parallel.DistributedDataParallel", _SYNC: "nn.SyncBatchNorm"}
    outer = site.file.name(around.func) if isinstance(around, ast.Call) else None
    if site.name in targets and outer in ("builtins.isinstance", "builtins.issubclass"):
        fix = site.fix()
        fix.replace(site.node, _apex.use_torch(fix, site, targets[site.name]))
        yield RULE.auto(
            site,
            f"{site.file.brief(around)} asks for apex' class",
            done=f"Asked for torch.{targets[site.name]} instead.",
            fix=fix,
        )
        return
    last = site.name.rpartition(".")[2]
    todo = {
        _DDP: "Use torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False).",
        _SYNC: "Use torch.nn.SyncBatchNorm.",
        _CONVERT: "Use torch.nn.SyncBatchNorm.convert_sync_batchnorm.",
    }.get(
        site.name,
        "It is plain Python: take the class into the project, or use timm's Lars."
        if last == "LARC"
        else "Use torch.distributed and torch.nn.parallel.DistributedDataParallel.",
    )
    yield RULE.manual(site, f"{site.text} comes from apex", todo=todo)
