"""Which files of a project run in one process, and whether one of them mentions a name."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.source.module import Module

_OUTWARDS = 4
"""How many imports are followed from a file to the scripts that use it."""
_INWARDS = 3
"""How many levels of imports are followed from those scripts."""


def mentioned(file: File, *names: str) -> bool:
    """Whether the file, or one that may run in the same process, mentions one of these names.

    Files of the same folder count as well: scripts that set their own import path lead there.
    """
    words = {name.rpartition(".")[2] for name in names}
    return any(
        any(word in module.source.text for word in words) and _mentions(file, module, names)
        for module in (*together(file), *_neighbours(file, words))
    )


def _neighbours(file: File, words: set[str]) -> Iterator[Module]:
    project = file.resolver.project
    for path in project.beside(file.path):
        if path != file.path:
            module = project.module(path) if project.mentions(path, *sorted(words)) else None
            if module is not None:
                yield module


def together(file: File) -> Iterator[Module]:
    """The file, the files that import it, and those that they import."""
    project = file.resolver.project
    seen: dict[str, Module] = {file.path: file.module}
    yield file.module
    edge = [file.module]
    for _ in range(_OUTWARDS):
        edge = [
            importer
            for module in edge
            for importer in project.importers(module.path)
            if importer.path not in seen
        ]
        for module in edge:
            if module.path not in seen:
                seen[module.path] = module
                yield module
    edge = list(seen.values())
    for _ in range(_INWARDS):
        following: list[Module] = []
        for module in edge:
            for path in project.imports(module.path, module.source.text):
                other = project.module(path) if path not in seen else None
                if other is not None:
                    seen[path] = other
                    following.append(other)
                    yield other
        edge = following


def _mentions(file: File, module: Module, names: tuple[str, ...]) -> bool:
    words = frozenset(name.rpartition(".")[2] for name in names)
    return any(
        name in names
        for reference in module.index.ending(words)
        for name in file.resolver.names(module, reference)[0]
    )
