"""DataParallel: one process cannot drive several NPUs, so each NPU gets a process of its own."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Rule, Site, Status
from ascendify.rules.torch import _backends, _loaders, _parallel
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TORCH-DIST-5",
    title="Train on several NPUs with one process each, not with DataParallel",
    why=(
        "torch.nn.DataParallel splits batches among the devices of one process with CUDA "
        "functions that have no NPU counterpart; its forward raises even with a single NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="if torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)",
    after="if torch.cuda.device_count() > 1:\n    pass",
    safety=(
        "A model that was wrapped only where there are several devices is no longer wrapped: one "
        "process uses one NPU. The batch size is then that of one device."
    ),
)

_WRAPPER = "torch.nn.DataParallel"
_DISTRIBUTED = (
    "torch.nn.parallel.DistributedDataParallel",
    "apex.parallel.DistributedDataParallel",
)


@RULE.call(_WRAPPER)
def unwrap_or_tell(site: CallSite) -> Diagnoses:
    """Take the wrapper away where one device was foreseen; otherwise say how to go on."""
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
            f"{site.brief} would spread {name} over all devices of one process, "
            "where there are several",
            done=f"Removed it: {name} trains on one NPU, as it does where there is one device.",
            todo=_beside(site) + _recipe(site, name, file.text(target)),
            fix=fix,
        )
        return
    moved = target or _assigned(_moved(site.node))
    yield _manual(site, name, name if moved is None else file.text(moved))


def _beside(site: CallSite) -> str:
    """What else the condition governs, which may count devices too."""
    body = getattr(parent(statement(site.node)), "body", [])
    others = [item for item in body if item is not statement(site.node)]
    counts = [item for item in others if not isinstance(item, ast.Expr)]
    if not counts:
        return ""
    return f"Check {site.file.brief(counts[0])} under the same condition: it still runs. "


def _assigned(call: ast.Call) -> ast.expr | None:
    """The one name or attribute a call's result is assigned to by a statement of its own."""
    around = parent(call)
    if isinstance(around, ast.Assign) and around.value is call and len(around.targets) == 1:
        return around.targets[0]
    return None


def _moved(call: ast.Call) -> ast.Call:
    """``DataParallel(m).to(device)`` for the call in it."""
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
            f"For one NPU, leave it out: {_without(file, site.node, name, target)} "
            + _recipe(site, name, target)
        ),
        effort=Effort.HOURS,
    )


def _without(file: File, call: ast.Call, name: str, target: str) -> str:
    whole = statement(call)
    if isinstance(whole, ast.Assign) and target == name and whole.value is call:
        text = "delete the line"
    else:
        text = f"use {name} itself in its place"
    uses = list(_parallel.inner_uses(file, target))
    if uses:
        lines = ", ".join(str(line) for line in sorted({use.lineno for use in uses})[:8])
        text += f", and write {target} for {target}.module (line {lines})"
    return text + "; keys of checkpoints lose their prefix 'module.'."


def _recipe(site: CallSite, name: str, target: str) -> str:
    """How to train with one process per NPU, in the user's own names; in full once a file."""
    file = site.file
    ready = next(file.calls(*_DISTRIBUTED), None)
    if ready is not None and next(file.calls(_backends.INIT), None) is not None:
        return (
            "For several NPUs, start the program the way that leads to "
            f"{file.brief(ready.node.func)} on line {ready.node.lineno}, with one process per NPU."
        )
    first = next(file.calls(_WRAPPER))
    if first.node is not site.node:
        return f"For several NPUs, do as for line {first.node.lineno}."
    uses = list(_parallel.inner_uses(file, target))
    steps = (
        f"start one process each (torchrun --nproc_per_node=<NPUs> {file.path})",
        "before the model is made: local_rank = int(os.environ['LOCAL_RANK']); "
        "torch.npu.set_device(local_rank); torch.distributed.init_process_group('hccl')",
        f"here: {target} = torch.nn.parallel.DistributedDataParallel({name}.npu(), "
        "device_ids=[local_rank])",
        _loader_step(file),
        f"save {target}.module.state_dict() on rank 0 only"
        + (f"; {target}.module stays where it is used" if uses else ""),
        "the batch size is then that of one NPU: divide it by the number of processes to keep the "
        "total",
    )
    numbered = ". ".join(f"({number}) {step}" for number, step in enumerate(steps, 1))
    return f"For several NPUs: {numbered}."


def _loader_step(file: File) -> str:
    """A sampler for the loader that shuffles and trains."""
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
            "and sampler.set_epoch(epoch) where an epoch begins"
        )
    return (
        "give the DataLoader of the training data "
        "sampler=torch.utils.data.distributed.DistributedSampler(dataset) instead of "
        "shuffle=True, and call its set_epoch(epoch) where an epoch begins"
    )


@RULE.reference(_WRAPPER)
def mentioned(site: Site) -> Diagnoses:
    """A class derived from it, a test whether a model is one, or the class passed on."""
    file = site.file
    around = site.parent
    if isinstance(around, ast.Call) and around.func is site.node:
        return
    if isinstance(around, ast.ClassDef):
        yield RULE.manual(
            site,
            f"{around.name} is a DataParallel, which does not run on NPUs",
            todo=(
                f"Use torch.nn.parallel.DistributedDataParallel, with one process per NPU, in the "
                f"place of {around.name}; what it does with batches then belongs into the sampler."
            ),
            effort=Effort.HOURS,
        )
    elif _is_test(file, site.node):
        yield RULE.info(
            site, f"{file.brief(_test(site.node))} is never true on NPUs: nothing is wrapped so"
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
    """Whether it is asked about: ``isinstance(m, DataParallel)``, ``type(m) == DataParallel``."""
    around = _test(node)
    if isinstance(around, ast.Compare):
        return True
    return (
        isinstance(around, ast.Call)
        and file.name(around.func) in ("builtins.isinstance", "builtins.issubclass")
        and node is not around.func
    )
