"""How a file's code is shown to people in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.rules.site import Facts, File
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText

SHOWN = {
    "as it stands": ("f(a,  'b')\n", "f(a, 'b')"),
    "on one line": ("f(a,\n  b)\n", "f(a, b)"),
    "without comments between the lines": ("f(a,  # the first\n  b)\n", "f(a, b)"),
    "a chain over lines": ("(a.b\n  .c(1))\n", "a.b.c(1)"),
    "a chain with backslashes": ("a.b \\\n  .c(1)\n", "a.b.c(1)"),
    "a sign that is no comment": ("f('#1')\n", "f('#1')"),
    "cut": (f"f({'a' * 80})\n", f"f({'a' * 55}..."),
}


@pytest.mark.parametrize(("source", "shown"), SHOWN.values(), ids=SHOWN)
def test_brief(source: str, shown: str) -> None:
    module = Module.parse_text("main.py", SourceText(source))
    project = Project(Path(), ["main.py"], {"main.py": source})
    file = File(module, Resolver(project, CatalogKnowledge()), Facts())
    assert file.brief(module.index.calls[0]) == shown
