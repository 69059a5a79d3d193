"""Find the command-line options of a training script in its source."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ascendify.source.nodes import last_name

_DATA = (
    "data_path", "data_dir", "dataset_dir", "dataset_path", "data_root", "data_folder",
    "dataset_root", "train_data_dir", "data_url", "data", "root",
)  # fmt: skip
_DIVIDES = ("shard_and_rebatch_dataset(", "npu_share(", "npu_part(")
"""Calls that divide a batch among the devices: of npu_device, and of migrated fed batches."""
_BATCH = ("batch_size", "train_batch_size", "batch", "per_device_train_batch_size")
_STEPS = (
    "max_steps", "train_steps", "max_train_steps", "num_train_steps", "max_number_of_steps",
    "num_steps", "num_iters", "iterations", "max_iter", "max_iters", "steps",
)  # fmt: skip
_EPOCHS = ("epochs", "num_epochs", "train_epochs", "max_epochs", "n_epochs", "num_train_epochs",
           "nb_epoch", "epoch")  # fmt: skip
_DECLARING = re.compile(r"\badd_argument\b|\.[\s\\]*option\b|\bDEFINE_|\bFire\b")
"""What every declaration has; a text without it need not be parsed."""
_DECLARING_WORDS = ("add_argument", "option", "DEFINE_", "Fire")
"""One of these is in whatever the pattern matches; looking for a word is faster."""
_SHORT_STEPS, _SHORT_EPOCHS = 100, 1
"""The length of a training that only measures the speed."""


@dataclass(frozen=True)
class ScriptOptions:
    """Options by which launch scripts pass the data's path, the batch size and the length."""

    data: str | None = None
    """Written in front of the path of the data, such as ``--data_dir=``; empty for an argument
    without a name, None where the script takes no path."""
    batch: str | None = None
    batch_size: int | None = None
    """The script's default."""
    short: tuple[str, ...] = ()
    """Arguments that make a training short."""
    batch_of_all: bool = False
    """Whether the batch size is that of all devices together, which the script divides."""


def read(sources: Sequence[str]) -> ScriptOptions:
    """Find the options; where several texts declare one, the first counts.

    Args:
        sources: The text of the script, then of the modules that it imports.
    """
    options: dict[str, tuple[str, object]] = {}
    for source in sources:
        for name, default in _declarations(source):
            options.setdefault(name.lstrip("-").replace("-", "_"), (name, default))
    batch = _first(_BATCH, options)
    size = options[batch][1] if batch else None
    return ScriptOptions(
        data=_prefix(_first(_DATA, options), options),
        batch=_prefix(batch, options),
        batch_size=size if isinstance(size, int) and size > 0 else None,
        batch_of_all=any(map(_divides, sources)),
        short=tuple(_short(options)),
    )


def _short(options: Mapping[str, tuple[str, object]]) -> Iterator[str]:
    for names, count in ((_STEPS, _SHORT_STEPS), (_EPOCHS, _SHORT_EPOCHS)):
        found = _first(names, options)
        if found and options[found][0].startswith("-"):
            yield f"{options[found][0]}={count}"
            return


def _first(names: Iterable[str], options: Mapping[str, object]) -> str | None:
    return next((name for name in names if name in options), None)


def _prefix(name: str | None, options: Mapping[str, tuple[str, object]]) -> str | None:
    if name is None:
        return None
    option = options[name][0]
    return f"{option}=" if option.startswith("-") else ""


@functools.lru_cache(maxsize=4096)
def _declarations(source: str) -> tuple[tuple[str, object], ...]:
    """Options that a text declares; programs of a project share most of their modules."""
    return tuple(_find_declarations(source))


@functools.lru_cache(maxsize=4096)
def _divides(source: str) -> bool:
    return any(call in source for call in _DIVIDES)


def _find_declarations(source: str) -> Iterator[tuple[str, object]]:
    """Options of argparse, absl, TensorFlow's flags, click and fire, each with its default."""
    if not any(word in source for word in _DECLARING_WORDS) or not _DECLARING.search(source):
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    yield from _find_parameters(tree, calls)
    for node in calls:
        if not isinstance(node.func, ast.Attribute):
            continue
        values = [_value(argument) for argument in node.args]
        given = {item.arg: _value(item.value) for item in node.keywords}
        if node.func.attr in ("add_argument", "option"):
            names = [item for item in values if isinstance(item, str)]
            long = [name for name in names if name.startswith("--")] or names
            if long:
                yield long[0], given.get("default")
        elif node.func.attr.startswith("DEFINE_"):
            name = given.get("name", values[0] if values else None)
            if isinstance(name, str):
                yield f"--{name}", given.get("default", values[1] if len(values) > 1 else None)


def _find_parameters(tree: ast.Module, calls: Iterable[ast.Call]) -> Iterator[tuple[str, object]]:
    """Parameters of the function that ``fire.Fire`` makes a program of."""
    started = {
        last_name(node.args[0]) for node in calls if last_name(node.func) == "Fire" and node.args
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in started:
            parameters = [*node.args.args, *node.args.kwonlyargs]
            missing: list[ast.expr | None] = [None] * (
                len(node.args.args) - len(node.args.defaults)
            )
            defaults = [*missing, *node.args.defaults, *node.args.kw_defaults]
            for parameter, default in zip(parameters, defaults):
                yield f"--{parameter.arg}", None if default is None else _value(default)


def _value(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
