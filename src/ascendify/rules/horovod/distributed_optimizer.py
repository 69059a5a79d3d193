"""hvd.DistributedOptimizer: average gradients over the NPUs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import Argument, CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.kit.fixes import removing
from ascendify.rules.kit.removal import is_pure, remove
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.source.nodes import assigned_name, is_inside
from ascendify.source.scopes import Scope, scope_of

RULE = Rule(
    code="TF1-HVD-4",
    title="Average gradients with the NPU's distributed optimizer",
    why=(
        "Horovod's optimizer reduces gradients with operators an NPU does not have. "
        "npu_distributed_optimizer_wrapper() makes the optimizer average them through HCCL."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="opt = hvd.DistributedOptimizer(opt, device_dense='/gpu:0')",
    after="opt = npu_distributed_optimizer_wrapper(opt)",
    safety=(
        "Gradients are always averaged, in their own type, at every step. The optimizer is changed "
        "in place and returned. How many ranks there are is read when it is wrapped."
    ),
)

NOTES = {
    "compression": (
        ("horovod.tensorflow.Compression.none",),
        "gradients are no longer compressed for sending",
    ),
    "op": (
        ("horovod.tensorflow.Average",),
        "gradients are averaged; for their sum multiply the learning rate by get_rank_size(), "
        "Adasum has no counterpart",
    ),
    "backward_passes_per_step": (
        (1,),
        "gradients are applied at every step; accumulate them yourself to apply them less often",
    ),
    "gradient_predivide_factor": ((1, 1.0), "gradients are divided after the sum only"),
    "average_aggregated_gradients": ((False,), "gradients of several steps are not aggregated"),
    "num_groups": ((0,), "gradients are fused by HCCL, not by your groups"),
    "groups": ((None,), "gradients are fused by HCCL, not by your groups"),
    "scale_local_gradients": ((True,), "all gradients are averaged"),
}
"""Arguments that are dropped: the values that change nothing, and a note for all others.

The rest (name, use_locking, device_dense, device_sparse, sparse_as_dense) change how Horovod
communicates, not the result.
"""


@RULE.call(*_horovod.OPTIMIZERS)
@_horovod.directly
def wrap_optimizer(site: CallSite) -> Diagnoses:
    """Use the NPU's wrapper and keep only the optimizer."""
    file = site.file
    shown = site.callee
    if not _is_taken_over(site):
        yield RULE.manual(
            site,
            f"{shown} is called with arguments that cannot be taken over",
            todo=(
                "Call npu_distributed_optimizer_wrapper(optimizer) of npu_bridge.npu_init; it "
                "takes the optimizer only and averages over all ranks."
            ),
        )
        return
    if _distributed.is_averaged(file, site.node, _distributed.NPU_WRAPPERS):
        yield _twice(site, shown)
        return
    dropped = _dropped(site)
    fix = site.fix()
    fix.replace(site.node.func, _npu.use(fix, "npu_distributed_optimizer_wrapper"))
    fix.remove_arguments(site.node, dropped)
    done = f"Replaced {shown} by npu_distributed_optimizer_wrapper()."
    if dropped:
        names = ", ".join(argument.name for argument in dropped)
        done = f"{done[:-1]} and dropped {names}."
    unread = list(_remove_variables(file, fix, dropped))
    if unread:
        done += f" Removed {', '.join(unread)}, which nothing else reads."
    notes = [note for argument in dropped if (note := _note(file, argument))]
    yield RULE.fixed(
        site,
        f"{shown} reduces gradients with Horovod",
        done=done,
        todo=f"Check that this is right for you: {'; '.join(notes)}." if notes else "",
        fix=fix,
    )


def _twice(site: CallSite, shown: str) -> Diagnosis:
    """An optimizer that an NPU wrapper is also put around: one of the two is enough."""
    found = f"{shown} wraps an optimizer that an NPU wrapper averages afterwards"
    target, inner = assigned_name(site.node), site.args.value("optimizer")
    if target is not None and isinstance(inner, ast.Name) and target.id == inner.id:
        fix = removing(site.file, site.node)
        done = f"Removed {shown}: gradients are averaged once."
        return RULE.auto(site, found, done=done, fix=fix)
    return RULE.manual(
        site,
        found,
        todo="Give the NPU wrapper the optimizer itself, so that gradients are averaged once.",
    )


def _is_taken_over(site: CallSite) -> bool:
    """Whether the NPU's wrapper, which takes the optimizer only, can replace the call."""
    args = site.args
    return "optimizer" in args and not (args.starred or args.surplus or "process_set" in args)


def _dropped(site: CallSite) -> list[Argument]:
    return [argument for argument in site.args if argument.name != "optimizer"]


def _remove_variables(file: File, fix: Fix, dropped: list[Argument]) -> Iterator[str]:
    """Remove variables that only dropped arguments read, here or in another such call."""
    gone = file.once(_gone)
    done: list[str] = []
    for argument in dropped:
        for node in ast.walk(argument.value):
            if not isinstance(node, ast.Name) or node.id in done:
                continue
            scope = scope_of(node).find(node.id)
            if scope is not None and _is_given_up(file, scope, node.id, gone):
                done.append(node.id)
                _remove_assignments(file, fix, scope, node.id)
                yield node.id


def _gone(file: File) -> set[int]:
    """The identities of all nodes of arguments that calls of the file lose."""
    return {
        id(node)
        for site in file.calls(*_horovod.OPTIMIZERS)
        if _horovod.is_direct(file, site.node.func) and _is_taken_over(site)
        for argument in _dropped(site)
        for node in ast.walk(argument.value)
    }


def _is_given_up(file: File, scope: Scope, name: str, gone: set[int]) -> bool:
    """Whether a variable is assigned without effects, and read only by dropped arguments."""
    exported = scope.kind == "module" and file.resolver.project.is_imported(file.path)
    return (
        not exported
        and all(id(use) in gone for use in scope.uses(name))
        and all(
            isinstance(binding.node, ast.Assign)
            and len(binding.node.targets) == 1
            and isinstance(binding.node.targets[0], ast.Name)
            and is_pure(file, binding.node.value)
            for binding in scope.bindings[name]
        )
    )


def _remove_assignments(file: File, fix: Fix, scope: Scope, name: str) -> None:
    """Remove all assignments of a variable, and conditions that serve nothing else."""
    assigned = [item.node for item in scope.bindings[name] if isinstance(item.node, ast.stmt)]
    removed: list[ast.stmt] = []
    for item in assigned:
        if not any(is_inside(item, outer) for outer in removed):
            removed.append(remove(file, fix, item, lambda other: other in assigned))


def _note(file: File, argument: Argument) -> str:
    neutral, note = NOTES.get(argument.name, ((), ""))
    if not note:
        return ""
    if file.name(argument.value) in neutral:
        return ""
    values = file.literal(argument.value)
    if values is not None and all(value in neutral for value in values):
        return ""
    return f"{argument.name}={file.brief(argument.value, 40)} was dropped, {note}"
