"""Remove DataParallel, or report how to train with one process for each NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Rule, Site, Status
from ascendify.rules.torch import _backends, _loaders, _parallel
from ascendify.source.nodes import is_called, only_target
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TORCH-DIST-5",
    title="Train on several NPUs with one process each, not with DataParallel",
    why=(
        "torch.nn.DataParallel splits batches among the devices of one process with CUDA "
        "functions that have no NPU counterpart; its forward fails even with a single NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    raises=True,
    before="if torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)",
    after="if torch.cuda.device_count() > 1:\n    pass",
    safety=(
        "A model that was wrapped only on machines with several devices is no longer wrapped: one "
        "process uses one NPU. The batch size is then that of one device."
    ),
)

_WRAPPER = "torch.nn.DataParallel"
_DISTRIBUTED = (
    "torch.nn.parallel.DistributedDataParallel",
    "apex.parallel.DistributedDataParallel",
)


@RULE.call(_WRAPPER)
def unwrap_or_report(site: CallSite) -> Diagnoses:
    """Remove the wrapper where the program also works with one device; otherwise report it."""
    file = site.file
    model = site.args.value("module")
    if model is None:
        yield _manual(site, "the model", "model")
        return
    target = _assigned(site.node)
    name = file.brief(model, 40)
    if (
        target is not None
        and file.text(target) == file.text(model)
        and _parallel.is_counted(file, site.node)
        and not any(_parallel.inner_uses(file, file.text(target)))
        and not _parallel.is_used_elsewhere(file, file.text(target))
    ):
        fix = site.fix()
        fix.remove_statement(site.node)
        yield RULE.auto_check(
            site,
            f"{site.brief} uses all devices in one process, where there are several",
            done=f"Removed it: {name} trains on one NPU, as it did on a machine with one device.",
            todo=_beside(site) + _recipe(site, name, file.text(target)),
            fix=fix,
        )
        return
    moved = target or _assigned(_moved(site.node))
    yield _manual(site, name, name if moved is None else file.text(moved))


def _beside(site: CallSite) -> str:
    """A remark on other statements under the same condition."""
    body = getattr(parent(statement(site.node)), "body", [])
    others = [item for item in body if item is not statement(site.node)]
    counts = [item for item in others if not isinstance(item, ast.Expr)]
    if not counts:
        return ""
    return f"Check {site.file.brief(counts[0])}, which still runs under this condition. "


def _assigned(call: ast.Call) -> ast.expr | None:
    """The only name or attribute that the result of a call is assigned to."""
    around = parent(call)
    return only_target(around) if getattr(around, "value", None) is call else None


def _moved(call: ast.Call) -> ast.Call:
    """The whole of ``DataParallel(m).to(device)`` for the call in it."""
    around = parent(call)
    while isinstance(around, ast.Attribute) and isinstance(parent(around), ast.Call):
        call = parent(around)  # type: ignore[assignment]  # just seen to be a call
        around = parent(call)
    return call


def _manual(site: CallSite, name: str, target: str) -> Diagnosis:
    file = site.file
    return RULE.manual(
        site,
        f"{site.brief} does not run on NPUs",
        todo=(
            f"For one NPU, remove it: {_without(file, site.node, name, target)} "
            + _recipe(site, name, target)
        ),
        effort=Effort.HOURS,
    )


def _without(file: File, call: ast.Call, name: str, target: str) -> str:
    whole = statement(call)
    if isinstance(whole, ast.Assign) and target == name and whole.value is call:
        text = "delete the line"
    else:
        text = f"use {name} itself"
    uses = list(_parallel.inner_uses(file, target))
    if uses:
        lines = ", ".join(str(line) for line in sorted({use.lineno for use in uses})[:8])
        text += f", and write {target} for {target}.module (line {lines})"
    return text + "; the keys of checkpoints lose their prefix 'module.'."


def _recipe(site: CallSite, name: str, target: str) -> str:
    """How to train with one process per NPU, with the names of the file; in full once a file."""
    file = site.file
    ready = next(file.calls(*_DISTRIBUTED), None)
    if ready is not None and next(file.calls(_backends.INIT), None) is not None:
        return (
            "For several NPUs, start one process per NPU so that the program reaches "
            f"{file.brief(ready.node.func)} on line {ready.node.lineno}."
        )
    first = next(file.calls(_WRAPPER))
    if first.node is not site.node:
        return f"For several NPUs, follow the steps for line {first.node.lineno}."
    uses = list(_parallel.inner_uses(file, target))
    steps = (
        f"start one process each (torchrun --nproc_per_node=<NPUs> {file.path})",
        "before the model is created: local_rank = int(os.environ['LOCAL_RANK']); "
        "torch.npu.set_device(local_rank); torch.distributed.init_process_group('hccl')",
        f"here: {target} = torch.nn.parallel.DistributedDataParallel({name}.npu(), "
        "device_ids=[local_rank])",
        _loader_step(file),
        f"save {target}.module.state_dict() on rank 0 only"
        + (f"; {target}.module stays where it is used" if uses else ""),
        "the batch size is then that of one NPU: divide it by the number of processes to keep the "
        "total batch size",
    )
    numbered = ". ".join(f"({number}) {step}" for number, step in enumerate(steps, 1))
    return f"For several NPUs: {numbered}."


def _loader_step(file: File) -> str:
    """How to add a sampler to the loader of training data."""
    for call in file.calls("torch.utils.data.DataLoader"):
        shuffle = call.args.get("shuffle")
        dataset = call.args.value("dataset")
        if shuffle is None or dataset is None or file.literal(shuffle.value) == (False,):
            continue
        if _loaders.tests(call):
            continue
        text = file.brief(dataset, 40)
        return (
            f"on line {call.node.lineno} write sampler=sampler for {file.brief(shuffle.node)}, "
            f"with sampler = torch.utils.data.distributed.DistributedSampler({text}) above it, "
            "and sampler.set_epoch(epoch) at the start of each epoch"
        )
    return (
        "give the DataLoader of the training data "
        "sampler=torch.utils.data.distributed.DistributedSampler(dataset) instead of "
        "shuffle=True, and call its set_epoch(epoch) at the start of each epoch"
    )


@RULE.reference(_WRAPPER)
def report_mention(site: Site) -> Diagnoses:
    """Report a derived class or a class that is passed on; note a type test."""
    file = site.file
    around = site.parent
    if is_called(site.node):
        return
    if isinstance(around, ast.ClassDef):
        yield RULE.manual(
            site,
            f"{around.name} is a DataParallel, which does not run on NPUs",
            todo=(
                "Use torch.nn.parallel.DistributedDataParallel, with one process per NPU, instead "
                f"of {around.name}; move what it does with batches to the sampler."
            ),
            effort=Effort.HOURS,
        )
    elif _is_test(file, site.node):
        yield RULE.info(
            site, f"{file.brief(_test(site.node))} is never true on NPUs, where it is not used"
        )
    else:
        yield RULE.manual(
            site,
            f"{file.brief(parent(site.node))} passes on DataParallel, which does not run on NPUs",
            todo="Pass on torch.nn.parallel.DistributedDataParallel, with one process per NPU.",
            effort=Effort.HOURS,
        )


def _test(node: ast.AST) -> ast.AST:
    around = parent(node)
    return parent(around) if isinstance(around, ast.Tuple) else around


def _is_test(file: File, node: ast.expr) -> bool:
    """Whether it is in a test: ``isinstance(m, DataParallel)``, ``type(m) == DataParallel``."""
    around = _test(node)
    if isinstance(around, ast.Compare):
        return True
    return (
        isinstance(around, ast.Call)
        and file.name(around.func) in ("builtins.isinstance", "builtins.issubclass")
        and node is not around.func
    )
