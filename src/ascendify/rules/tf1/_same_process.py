"""Which files of a project run in one process, and whether one of them mentions a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

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
        _mentions(file, module, names)
        for module in (*together(file, *words), *_neighbours(file, words))
    )


def _neighbours(file: File, words: set[str]) -> Iterator[Module]:
    paths = file.resolver.project.beside(file.path)
    yield from _mentioning(file, (path for path in paths if path != file.path), words)


def together(file: File, *words: str) -> Iterator[Module]:
    """The file, the files that import it, and what those import, if they mention a word.

    Often that is most of a project, hundreds of files of it ask, and few files have the words: who
    imports whom is known without parsing.
    """
    if any(word in file.module.source.text for word in words):
        yield file.module
    yield from _mentioning(file, _paths(file), set(words))


def _mentioning(file: File, paths: Iterable[str], words: set[str]) -> Iterator[Module]:
    """Those of some files that have one of some words somewhere, parsed."""
    project, wanted = file.resolver.project, tuple(sorted(words))
    for path in paths:
        key = (_mentioning, path, wanted)
        if file.resolver.remembered(key, partial(project.mentions, path, *wanted)):
            module = project.module(path)
            if module is not None:
                yield module


def _paths(file: File) -> tuple[str, ...]:
    """The other files that may run in one process with a file."""
    project = file.resolver.project

    def imports(path: str) -> Sequence[str]:
        if path != file.path:
            return project.imported_paths(path)
        return project.imports(path, file.module.source.text)

    def find() -> tuple[str, ...]:
        seen = {file.path: None}
        edge = [file.path]
        for _ in range(_OUTWARDS):
            found = (importer for path in edge for importer in project.importer_paths(path))
            edge = [path for path in dict.fromkeys(found) if path not in seen]
            seen.update(dict.fromkeys(edge))
        edge = list(seen)
        for _ in range(_INWARDS):
            found = (imported for path in edge for imported in imports(path))
            edge = [path for path in dict.fromkeys(found) if path not in seen]
            seen.update(dict.fromkeys(edge))
        return tuple(seen)[1:]

    return file.resolver.remembered((_paths, file.path), find)


def _mentions(file: File, module: Module, names: tuple[str, ...]) -> bool:
    words = frozenset(name.rpartition(".")[2] for name in names)
    return any(
        name in names
        for reference in module.index.ending(words)
        for name in file.resolver.names(module, reference)[0]
    )
