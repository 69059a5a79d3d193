"""Which files may run in one program: what imports a file, and all that these files import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from ascendify.rules.kit import File

_Answer = TypeVar("_Answer")


def files_with(file: File, *words: str) -> Iterator[File]:
    """The files that may run in one program with this one, itself included, with some words."""
    project = file.resolver.project
    for path in project.linked_with(file.path, *words):
        module = file.module if path == file.path else project.module(path)
        if module is not None:
            yield file.of(module)


def once(file: File, compute: Callable[[File], _Answer]) -> _Answer:
    """The result of a function for all files that may run in one program, computed once.

    It must not depend on which of these files asks: each would look through all of them again.
    """
    linked = file.resolver.project.linked(file.path)
    return file.resolver.remembered((compute, linked[0]), lambda: compute(file))
