"""What the tests of names and values share: small projects, and the question ``ask(...)`` in them.

A project is a text (one file, ``main.py``) or texts by path. The expression a test asks about is
the argument of the first call of ``ask`` in ``main.py``; the answer is written in one line.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText

EXTERNAL = frozenset({"tensorflow", "keras", "horovod"})


def parse(text: str, path: str = "main.py") -> Module:
    """A module that was parsed and indexed."""
    module = Module.parse_text(path, SourceText(text))
    assert module.index
    return module


def project(files: str | Mapping[str, str]) -> Project:
    """A project whose files exist only here."""
    sources = {"main.py": files} if isinstance(files, str) else dict(files)
    return Project(Path("/nowhere"), sources, sources, external=EXTERNAL)


def in_question(module: Module) -> ast.expr:
    """Return the argument of the first call of ``ask`` in a file."""
    call = min(module.index.calls_by_name["ask"], key=lambda node: (node.lineno, node.col_offset))
    return call.args[0]


def answer(files: str | Mapping[str, str]) -> str:
    """Describe what is known about the argument of ``ask``.

    ``tf.Session`` is a name, ``tf.Session()`` an instance, ``= 8`` a literal; alternatives are
    separated by bars, and a question mark means "or something else".
    """
    whole = project(files)
    module = whole.module("main.py")
    assert module is not None, whole.errors
    resolver = Resolver(whole, CatalogKnowledge())
    node = in_question(module)
    literal = resolver.literal(module, node)
    if literal is not None:
        return "= " + " | ".join(repr(value) for value in literal)
    names, sure_name = resolver.names(module, node)
    kinds, sure_kind = resolver.kinds(module, node)
    found = " | ".join([*names, *(f"{kind}()" for kind in kinds)])
    if not found:
        return "unknown"
    sure = sure_name if not kinds else sure_kind and not names
    return found if sure else f"{found} ?"
