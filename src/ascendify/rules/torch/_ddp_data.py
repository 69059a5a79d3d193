"""The loaders of a program's training data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.rules.torch._ddp_steps import Obstacle, Step, TrainingSteps
from ascendify.source.flow import backward
from ascendify.source.flow.outside import Outside
from ascendify.source.module import Module
from ascendify.source.nodes import FUNCTIONS, function_around, given_value, last_name, receiver
from ascendify.source.scopes import ancestors, scope_of
from ascendify.source.values import Function

LOADER = "torch.utils.data.DataLoader"
_ITERABLE = "torch.utils.data.IterableDataset"
_THROUGH = frozenset(
    {
        "builtins.enumerate", "builtins.iter", "builtins.zip", "builtins.next", "builtins.list",
        "itertools.cycle", "itertools.islice", "itertools.chain", "tqdm.tqdm", "tqdm.auto.tqdm",
        "tqdm.trange", "tqdm.notebook.tqdm", "rich.progress.track", "tqdm.std.tqdm",
    }
)  # fmt: skip
"""Functions that pass on what they iterate over."""
_DRAWS = re.compile(r"rand|shuffle|perm|sample\(|choice|rank|world_size|uniform|normal\(", re.I)
"""Words of a stream that may yield other samples in each process."""
_BY_HAND = (
    "Give each process its part of the samples by npu_ddp.RANK and npu_ddp.WORLD_SIZE, or read "
    "them with a torch.utils.data.DataLoader and migrate again."
)


def loaders(training: TrainingSteps) -> list[tuple[Module, ast.Call]] | Obstacle:
    """The calls that make the loaders which the steps of a program read from."""
    found: list[tuple[Module, ast.Call]] = []
    for step in training.steps:
        made = _made_for(training, step.module, step.call)
        if isinstance(made, Obstacle):
            return made
        if not made:
            text = training.file.of(step.module).brief(step.call)
            return Obstacle(
                step.module,
                step.call,
                f"no DataLoader was found that {text} gets its samples from",
                _BY_HAND,
            )
        found.extend(item for item in made if item not in found)
    for module, call in found:
        problem = _unshareable(training, training.file.of(module), call)
        if problem is not None:
            return problem
    return found


def _made_for(
    training: TrainingSteps, module: Module, node: ast.AST, depth: int = 4
) -> list[tuple[Module, ast.Call]] | Obstacle:
    """The loaders that loops around a node read; without any, around the calls of its function."""
    file = training.file.of(module)
    made: list[tuple[Module, ast.Call]] = []
    for source in read_around(file, node):
        origins = backward.origins(file.resolver, module, source, Outside())
        calls = [
            (other, call)
            for other, call in origins.calls
            if file.of(other).name(call.func) == LOADER
        ]
        if calls and (origins.unknown or len(calls) < len(origins.calls)):
            return Obstacle(
                module,
                source,
                f"{file.brief(source)} is made by a DataLoader in some places, and in others by "
                "something that cannot be followed",
                _BY_HAND,
            )
        made.extend(calls)
    function = function_around(node)
    if made or function is None or depth == 0:
        return made
    for caller, call, _ in file.resolver.callers(Function(module, function)):
        above = _made_for(training, caller, call, depth - 1)
        if isinstance(above, Obstacle):
            return above
        made.extend(above)
    return made


def read_around(file: File, node: ast.AST) -> Iterator[ast.expr]:
    """What the loops around a node go over, and what they take batches from with ``next()``."""
    for around in ancestors(node):
        if isinstance(around, FUNCTIONS):
            break
        if isinstance(around, (ast.For, ast.AsyncFor)):
            yield from _sources(file, around.iter)
        if isinstance(around, (ast.For, ast.While)):
            for call in file.module.index.calls_within(around):
                if file.name(call.func) == "builtins.next" or last_name(call.func) == "next":
                    yield from _sources(file, call)


def _sources(file: File, node: ast.expr, depth: int = 6) -> Iterator[ast.expr]:
    """The expressions that an iterator takes its items from."""
    inner = _passed_through(file, node)
    if inner and depth:
        for item in inner:
            yield from _sources(file, item, depth - 1)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        yield node


def _passed_through(file: File, node: ast.expr) -> list[ast.expr]:
    """What an iterator is made of: ``loader`` of ``enumerate(loader)``, or of a name for that."""
    if isinstance(node, ast.Call):
        if file.name(node.func) in _THROUGH or last_name(node.func) in ("tqdm", "track", "next"):
            owner = receiver(node)
            return node.args or ([] if owner is None else [owner])
        return _repeated(node)
    if not isinstance(node, ast.Name):
        return []
    values = [backward.assigned(item) for item in backward.definitions(node)]
    return [
        inner
        for value in values
        if isinstance(value, ast.Call)
        for inner in _passed_through(file, value)
    ]


def _repeated(call: ast.Call) -> list[ast.expr]:
    """What a generator of the file yields again and again: ``loader`` of ``endless(loader)``."""
    if not isinstance(call.func, ast.Name) or call.keywords or not call.args:
        return []
    found = backward.bindings(call.func)
    function = found[0].node if len(found) == 1 and found[0].kind == "def" else None
    if not isinstance(function, ast.FunctionDef) or not scope_of(function).generator:
        return []
    names = [item.arg for item in function.args.args]
    read = {
        name.id
        for loop in ast.walk(function)
        if isinstance(loop, ast.For)
        for name in ast.walk(loop.iter)
        if isinstance(name, ast.Name)
    }
    return [value for name, value in zip(names, call.args) if name in read]


def is_stream(file: File, call: ast.Call) -> bool:
    """Whether a loader reads an IterableDataset."""
    dataset = given_value(call, "dataset", 0)
    return dataset is not None and bool(file.is_a(dataset, _ITERABLE))


def _unshareable(training: TrainingSteps, file: File, call: ast.Call) -> Obstacle | None:
    """Why the samples of a loader cannot be divided among processes."""
    dataset = given_value(call, "dataset", 0)
    if dataset is None or not is_stream(file, call) or _is_same_everywhere(training, dataset):
        return None
    return Obstacle(
        file.module,
        call,
        f"{file.brief(dataset)} is an IterableDataset that may yield other samples in each process",
        "Let its __iter__ give each process its part of the samples, by npu_ddp.RANK and "
        "npu_ddp.WORLD_SIZE; or let it draw no random numbers and migrate again.",
    )


def _is_same_everywhere(training: TrainingSteps, dataset: ast.expr) -> bool:
    """Whether a stream is a class of the program that draws nothing and knows no processes."""
    made = backward.only_value(dataset) if isinstance(dataset, ast.Name) else dataset
    if not isinstance(made, ast.Call):
        return False
    found = [
        (module, node)
        for module in training.modules.values()
        for node in module.index.of(ast.ClassDef)
        if node.name == last_name(made.func)
    ]
    return len(found) == 1 and all(
        not _DRAWS.search(module.segment(node))
        and any(getattr(item, "name", "") == "__iter__" for item in node.body)
        for module, node in found
    )


def is_read(file: File, node: ast.AST, step: Step) -> bool:
    """Whether an expression is what the loops around a step read from, by its text."""
    return any(file.text(item) == file.text(node) for item in read_around(file, step.call))
