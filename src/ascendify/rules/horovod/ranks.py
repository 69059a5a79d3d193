"""hvd.rank(), hvd.size() and the like: get ranks from HCCL."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import Diagnoses, Diagnosis, MethodSite, Rule, Site, Status
from ascendify.rules.kit.bindings import running_scope
from ascendify.rules.tensorflow import devices
from ascendify.rules.tf1 import _npu
from ascendify.rules.tf1._estimator_cycles import cycle_before
from ascendify.source.nodes import is_called, position

RULE = Rule(
    code="TF1-HVD-3",
    title="Get rank and size from HCCL",
    why=(
        "An NPU machine has no Horovod. The NPU's collective library HCCL gives ranks once it is "
        "initialised; before that its queries raise ValueError."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="dataset = dataset.shard(hvd.size(), hvd.rank())",
    after="dataset = dataset.shard(get_rank_size(), get_rank_id())",
)

_ENVIRONMENT = {f"{_horovod.TF}.rank": ("RANK_ID", "0"), f"{_horovod.TF}.size": ("RANK_SIZE", "1")}
"""Queries whose result is also in a variable of the launcher, and its default."""


@RULE.reference(*_horovod.RANKS)
def use_hccl(site: Site) -> Diagnoses:
    """Replace the name, called or passed on: both functions take no argument."""
    if _horovod.is_direct(site.file, site.node):
        yield from _replace(site)


@RULE.method(*(name.rpartition(".")[2] for name in _horovod.RANKS), where=_horovod.is_named)
def use_hccl_for_kept(site: MethodSite) -> Diagnoses:
    """Replace a query of a module that came as an argument, from callers that cannot be seen."""
    if _horovod.is_rank_of_kept(site.file, site.node) and is_called(site.node):
        yield from _replace(Site(site.file, site.node, f"{_horovod.TF}.{site.name}"))


def _replace(site: Site) -> Diagnoses:
    file = site.file
    if devices.is_in_gpu_scope(file, site.node):
        return
    function = _horovod.RANKS[site.name]
    fix = site.fix()
    if is_called(site.node) and site.name in _ENVIRONMENT:
        cycle = cycle_before(file, site.node)
        if cycle is not None:
            yield _use_environment(site, file.brief(cycle.node.func))
            return
    fix.replace(site.node, _npu.use(fix, function))
    call = "()" if is_called(site.node) else ""
    found = f"{site.text}{call} gets its result from Horovod"
    done = f"Replaced {site.text}{call} by {function}{call}."
    early = _early(site)
    if early:
        found, todo = f"{found} {early[0]}", early[1]
        yield RULE.auto_check(site, found, done=done, todo=todo, fix=fix)
    else:
        yield RULE.auto(site, found, done=done, fix=fix)


def _use_environment(site: Site, cycle: str) -> Diagnosis:
    """Read the launcher's variable where an estimator has shut HCCL down."""
    fix = site.fix()
    variable, default = _ENVIRONMENT[site.name]
    answer = f"int({fix.use('os')}.getenv('{variable}', '{default}'))"
    fix.replace(site.parent, answer)
    return RULE.auto(
        site.at(site.parent),
        f"{site.text}() may run after {cycle}() has shut HCCL down",
        done=f"Replaced {site.text}() by {answer}, which the launcher sets.",
        fix=fix,
    )


def _early(site: Site) -> tuple[str, str] | None:
    """When a query may run before the initialisation, and what to do about it."""
    file = site.file
    scope = running_scope(site.node)
    inits = _horovod.calls(file, _horovod.INIT, scope)
    inits += _horovod.calls(file, "npu.init_resource", scope)
    here = position(site.node)
    if any(position(init.node) < here for init in inits):
        return None
    if inits:
        return (
            "before it is initialised",
            f"Move it behind init_resource(), or use {_npu.RANK_ID} or {_npu.RANK_SIZE} instead.",
        )
    if scope.kind == "module" and not file.is_entry:
        return (
            "while this module is imported",
            "Make sure that init_resource() runs before this file is imported, or call it inside a "
            "function.",
        )
    return None
