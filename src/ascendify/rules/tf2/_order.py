"""Sources of pipelines that all ranks must read in the same order, so that their parts differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ascendify.rules.kit import CallSite, File
from ascendify.rules.tf2 import _data
from ascendify.source.edits import Edit, apply
from ascendify.source.module import Module
from ascendify.source.nodes import is_literal, keyword_value
from ascendify.source.values import Function

LIST = "tf2.data.Dataset.list_files"
FOLDERS = tuple(
    f"tf2.keras.{module}.{name}_dataset_from_directory"
    for module in ("utils", "preprocessing")
    for name in ("image", "text", "audio")
)
"""Functions of Keras that read the files of a folder, shuffled by a seed."""


@dataclass(frozen=True)
class Order:
    """How a source is made to give the same order on all ranks."""

    edits: list[Edit] = field(default_factory=list)
    note: str = ""
    """What a person should know about the change; empty where nothing changes."""

    def within(self, file: File, node: ast.expr) -> str:
        """The text of an expression around the source, with the edits."""
        start = file.module.start(node)
        moved = [
            replace(item, start=item.start - start, end=item.end - start) for item in self.edits
        ]
        return apply(file.text(node), moved)

    def is_within(self, file: File, node: ast.expr) -> bool:
        """Whether the edits are in the text of an expression."""
        start, end = file.module.start(node), file.module.end(node)
        return all(start <= item.start and item.end <= end for item in self.edits)


def of(file: File, batching: ast.Call, source: ast.Call | None) -> Order | None:
    """How to make the source of a pipeline give one order; None where that is not certain."""
    loaded = _data.catalogue_call(file, batching)
    if loaded is not None:
        return _of_catalogue(file, loaded)
    if source is None:
        return Order()
    edits: list[Edit] = []
    notes: dict[str, None] = {}
    for module, call, name in _readers(file, file.module, source, set()):
        order = _of_reader(file, call, name) if module is file.module else None
        if order is None:
            return None
        edits += order.edits
        notes[order.note] = None
    return Order(edits, " ".join(filter(None, notes)))


def _readers(
    file: File, module: Module, source: ast.Call, seen: set[ast.AST]
) -> Iterator[tuple[Module, ast.Call, str]]:
    """The calls that read files for a source: itself, or those in functions of the project."""
    names, _ = file.resolver.names(module, source.func)
    if names and (names[0] == LIST or names[0] in FOLDERS):
        yield module, source, names[0]
        return
    for value in file.resolver.infer(module, source.func):
        if isinstance(value, Function) and value.node not in seen:
            seen.add(value.node)
            for item in ast.walk(value.node):
                if isinstance(item, ast.Call):
                    yield from _readers(file, value.module, item, seen)


def _of_reader(file: File, call: ast.Call, name: str) -> Order | None:
    return _of_list(file, call) if name == LIST else _of_folder(file, call, name)


def _of_list(file: File, source: ast.Call) -> Order | None:
    """The order of ``list_files``, which shuffles by default."""
    listed = CallSite(file, source, LIST)
    shuffle = listed.args.value("shuffle")
    if "seed" in listed.args or is_literal(shuffle, False):
        return Order()
    if listed.args.starred:
        return None
    fix = file.fix()
    if shuffle is None:
        fix.add_argument(source, "shuffle=False")
    else:
        fix.replace(shuffle, "False")
    return Order(fix.edits, "There must be at least as many files as devices.")


def _of_catalogue(file: File, loaded: ast.Call) -> Order | None:
    """``tfds.load(..., shuffle_files=True)`` reads the files of each process in another order."""
    if any(item.arg is None for item in loaded.keywords):
        return None
    shuffle = keyword_value(loaded, "shuffle_files")
    if shuffle is None or is_literal(shuffle, False):
        return Order()
    if not is_literal(shuffle, True):
        return None
    fix = file.fix()
    fix.replace(shuffle, "False")
    return Order(fix.edits, "Files are read in one order on all ranks, and samples shuffled later.")


def _of_folder(file: File, source: ast.Call, name: str) -> Order | None:
    """The order of ``image_dataset_from_directory``, shuffled by its seed, by default random."""
    site = CallSite(file, source, name)
    if site.args.starred:
        return None
    note = "Every rank reads all files and keeps its part of the samples."
    if "seed" in site.args or is_literal(site.args.value("shuffle"), False):
        return Order(note=note)
    fix = file.fix()
    fix.add_argument(source, "seed=0")
    return Order(fix.edits, f"{note} Their order is that of seed=0.")
