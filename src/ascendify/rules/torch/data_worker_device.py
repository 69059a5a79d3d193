"""Report tensors that are moved to the device in the workers of a DataLoader."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.torch import _device_uses
from ascendify.rules.torch._designators import GPU, NPU
from ascendify.source.nodes import class_around, function_around, given_value, last_name

RULE = Rule(
    code="TORCH-DATA-1",
    title="Move tensors to the NPU in the training loop, not in the workers of a DataLoader",
    why=(
        "A DataLoader with num_workers above 0 forks processes that run datasets and collate "
        "functions. A forked process cannot use an NPU that its parent has used before."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="class Images(Dataset):\n    def __getitem__(self, i):\n        return self.x[i].cuda()",
)

_DATASETS = ("torch.utils.data.Dataset", "torch.utils.data.IterableDataset")
_METHODS = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__", "collate_fn"})
_LOADER = "torch.utils.data.DataLoader"
_MOVES = ("cuda", "npu", "to")
_RUN_IN_WORKERS = ("collate_fn", "worker_init_fn")


@RULE.file
def report_moves(file: File) -> Diagnoses:
    """Report moves in functions that a worker runs."""
    calls = file.module.index.calls_by_name
    loaders = [
        CallSite(file, call, _LOADER)
        for call in calls.get("DataLoader", ())
        if file.name(call.func) == _LOADER
    ]
    for name in _MOVES:
        for call in calls.get(name, ()):
            runs = _worker_function(file, call, loaders)
            if runs is None or (name == "to" and not _is_move(file, call)):
                continue
            workers = _has_workers(loaders)
            yield RULE.finding(
                Status.MANUAL if workers else Status.INFO,
                file.at(call.func),
                f"{file.brief(call)} moves to the device inside {runs}, which runs in the workers "
                "of a DataLoader",
                todo="Return tensors on the CPU and move the batch in the training loop."
                if workers
                else "Keep num_workers=0 for this DataLoader, or move the batch in the training "
                "loop.",
                effort=Effort.MINUTES if workers else Effort.NONE,
            )


def _is_move(file: File, call: ast.Call) -> bool:
    """Whether ``.to(...)`` is given a device other than the CPU, not a type."""
    given = given_value(call, "device", 0)
    if given is None:
        return False
    if isinstance(given, ast.Constant):
        return isinstance(given.value, int) or str(given.value).startswith((GPU, NPU))
    return _device_uses.is_device_object(file, given)


def _worker_function(file: File, node: ast.AST, loaders: list[CallSite]) -> str | None:
    """The function around a node that a worker runs."""
    function = function_around(node)
    while function is not None:
        name = getattr(function, "name", "")
        owner = class_around(function)
        if owner is not None and name in _METHODS and _is_dataset(file, owner):
            return f"{owner.name}.{name}()"
        if _is_given(function, loaders):
            return f"{name or 'a lambda'}()"
        function = function_around(function)
    return None


def _is_dataset(file: File, cls: ast.ClassDef) -> bool:
    for base in cls.bases:
        names, _ = file.names(base)
        if any(name in _DATASETS for name in names):
            return True
        last = last_name(base)
        if not names and last.endswith("Dataset"):
            return True
    return False


def _is_given(function: ast.AST, loaders: list[CallSite]) -> bool:
    """Whether a function is passed to a DataLoader for its workers."""
    for loader in loaders:
        for parameter in _RUN_IN_WORKERS:
            given = loader.args.value(parameter)
            if given is function:
                return True
            name = last_name(given)
            if name is not None and name == getattr(function, "name", ""):
                return True
    return False


def _has_workers(loaders: list[CallSite]) -> bool:
    """Whether a DataLoader of the file may have workers; true where the file has none."""
    given = [loader.args.value("num_workers") for loader in loaders]
    return not loaders or any(
        loader.args.starred or (value is not None and not _is_zero(value))
        for loader, value in zip(loaders, given)
    )


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0
