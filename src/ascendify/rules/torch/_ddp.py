"""Programs that train on one device, and what must change for several processes to train one model.

A program is a script with all that it imports from the project. Either everything it needs is
found, in a :class:`Plan`, or a :class:`Obstacle` says what could not be followed: a script that
averages some gradients, or reads each sample in every process, is worse than one for one device.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from ascendify.rules.helpers import DDP
from ascendify.rules.kit import Facts, File
from ascendify.rules.torch import _ddp_data, _ddp_models
from ascendify.rules.torch._ddp_steps import Obstacle, Step, TrainingSteps
from ascendify.source.module import Module
from ascendify.source.nodes import DEFINITIONS, LOOPS, call_of, position

_TRAINERS = frozenset(
    {
        "accelerate", "pytorch_lightning", "lightning", "deepspeed", "horovod", "fairscale",
        "ignite", "fastai", "mmengine", "mmcv", "detectron2", "ray", "catalyst", "composer",
        "fairseq", "colossalai", "skorch", "torchtune", "hivemind",
    }
)  # fmt: skip
"""Packages that train on several devices themselves."""
_PARALLEL = (
    "torch.distributed.*", "torch.nn.parallel.DistributedDataParallel",
    "torch.multiprocessing.spawn", "torch.multiprocessing.Process",
    "transformers.Trainer", "transformers.Seq2SeqTrainer", "apex.parallel.*",
)  # fmt: skip
"""Names that only programs for several processes use."""


@dataclass(frozen=True)
class Plan:
    """Everything that makes a program train on several devices."""

    path: str
    """The script that is started."""
    wraps: tuple[_ddp_models.Wrap, ...]
    """The models, each with the statement before or after which it is wrapped."""
    inner: tuple[tuple[Module, ast.expr], ...]
    """Expressions that must be the model itself, not its wrapper."""
    loaders: tuple[tuple[Module, ast.Call], ...]
    """The calls that make the loaders of training data."""
    steps: tuple[Step, ...]
    """Where gradients are computed, and of which loss."""
    forwards: tuple[ast.Call, ...]
    """Calls of the wrapped models."""
    modules: dict[str, Module] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Several:
    """A program that runs on several devices as it is."""

    path: str
    module: Module
    node: ast.AST
    name: str
    """What it uses for that."""


Outcome = Union[Plan, Obstacle, Several]


def is_requested(facts: Facts) -> bool:
    """Whether the user asks for programs for one device to become programs for several."""
    return facts.add_distribution


def plans(file: File) -> list[Plan]:
    """The plans of the programs that a file belongs to; none unless that is requested."""
    return [item for item in outcomes(file).values() if isinstance(item, Plan)]


def outcomes(file: File) -> dict[str, Outcome]:
    """What is to be done with each program that a file belongs to, by the path of its script."""
    return file.once(_outcomes) if is_requested(file.facts) else {}


def _outcomes(file: File) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    project = file.resolver.project
    for path in sorted(file.facts.entry_points):
        entry = file.module if path == file.path else project.module(path)
        modules = _reached(file, entry) if entry is not None else {}
        if file.path in modules:
            outcome = _outcome(file, path, modules)
            if outcome is not None:
                found[path] = outcome
    return found


def _reached(file: File, entry: Module) -> dict[str, Module]:
    """A script and the files of the project that it comes to by imports."""
    found = {entry.path: entry}
    pending = [entry]
    while pending:
        for module in file.resolver.project.imported(pending.pop()):
            if module.path not in found:
                known = file.module if module.path == file.path else module
                known.index  # noqa: B018 - marks parents and scopes
                found[module.path] = known
                pending.append(known)
    return found


def _outcome(file: File, path: str, modules: dict[str, Module]) -> Outcome | None:
    training = TrainingSteps(file, modules)
    if not training.steps or any(DDP in module.index.import_roots for module in modules.values()):
        return None
    several = next(_several(file, path, modules), None)
    if several is not None:
        return several
    loaders = _ddp_data.loaders(training)
    if isinstance(loaders, Obstacle):
        return loaders
    models = _ddp_models.models(training)
    if isinstance(models, Obstacle):
        return models
    return Plan(
        path,
        tuple(models.wraps),
        tuple(models.inner),
        tuple(loaders),
        tuple(training.steps),
        tuple(models.forwards),
        modules,
    )


def _several(file: File, path: str, modules: dict[str, Module]) -> Iterator[Several]:
    """The first thing of each file that only programs for several devices use."""
    locate = file.resolver.project.locate
    for module in modules.values():
        for node in module.index.imports:
            roots = (
                [alias.name.partition(".")[0] for alias in node.names]
                if isinstance(node, ast.Import)
                else [(node.module or "").partition(".")[0] if not node.level else ""]
            )
            known = [root for root in roots if root in _TRAINERS]
            if known and locate(module.path, known[0]) is None:
                yield Several(path, module, node, known[0])
        for site in file.of(module).references(*_PARALLEL):
            if not isinstance(site.parent, ast.Call) or call_of(site.node) is not None:
                yield Several(path, module, site.node, site.text)


def start(file: File, plan: Plan) -> tuple[ast.stmt | None, ast.stmt | None]:
    """Where the script joins the others: before a statement, or else after one.

    In the main guard, unless the script makes a model or moves something to the device before.
    """
    body = file.module.tree.body
    guard = next((item for item in body if _is_guard(item)), None)
    early = [item for item in body if item is not guard and _touches(item)]
    if isinstance(guard, ast.If) and not early:
        return guard.body[0], None
    first = min((position(item) for item in early), default=(len(file.module.source.text), 0))
    imports = [item for item in body if isinstance(item, (ast.Import, ast.ImportFrom))]
    before = [item for item in imports if position(item) < first]
    return None, (before or body)[-1]


def _is_guard(item: ast.stmt) -> bool:
    return isinstance(item, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(item.test)
    )


def _touches(item: ast.stmt) -> bool:
    """Whether a statement of module level may use the device: it moves something, or trains."""
    if isinstance(item, (*DEFINITIONS, ast.Import, ast.ImportFrom)):
        return False
    return isinstance(item, LOOPS) or any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("to", "cuda", "npu", "set_device")
        for node in ast.walk(item)
    )
