"""Report something once per file: at its first place, with the lines of the others in the text."""

from __future__ import annotations

import ast

from ascendify.rules.site import Site
from ascendify.source.flow import backward

_SHOWN = 5


def is_first(site: Site, *names: str) -> bool:
    """Whether no earlier call of the file calls one of these names, or that of the site."""
    return next(site.file.calls(*(names or (site.name,))), site).node is site.node


def others(site: Site, *names: str) -> str | None:
    """A text that lists other lines with these names; None when the site is not the first."""
    names = names or (site.name,)
    first = site.node.func if isinstance(site.node, ast.Call) else site.node
    lasts = {name.rpartition(".")[2] for name in names}
    lines: list[int] = []
    for node in site.file.module.index.references:
        if isinstance(node, ast.Attribute):
            if node.attr not in lasts:
                continue
        elif not _is_imported(node):
            continue
        if site.file.name(node) in names:
            if not lines and node is not first:
                return None
            lines.append(node.lineno)
    return words(sorted(set(lines) - {first.lineno})) if lines else None


def words(lines: list[int]) -> str:
    """``(also on lines 3, 5)``; empty when there are none."""
    if not lines:
        return ""
    shown = ", ".join(str(line) for line in lines[:_SHOWN])
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f" (also on line{'s' if len(lines) > 1 else ''} {shown}{more})"


def _is_imported(node: ast.expr) -> bool:
    bindings = backward.bindings(node) if isinstance(node, ast.Name) else []
    return bool(bindings) and bindings[0].kind == "import"
