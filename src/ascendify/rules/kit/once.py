"""Tell a thing once a file: at its first place, with the other lines in the text."""

from __future__ import annotations

import ast

from ascendify.rules.site import File, Site
from ascendify.source.flow import backward

_SHOWN = 5


def others(site: Site, *names: str) -> str | None:
    """Words for the other places of these names; None when this site is not the first of them."""
    lines = places(site.file, site, *(names or (site.name,)))
    if lines is None:
        return None
    return words(sorted(set(lines) - {site.node.lineno}))


def words(lines: list[int]) -> str:
    """``(also on lines 3, 5)``; empty when there are none."""
    if not lines:
        return ""
    shown = ", ".join(str(line) for line in lines[:_SHOWN])
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f" (also on line{'s' if len(lines) > 1 else ''} {shown}{more})"


def places(file: File, site: Site, *names: str) -> list[int] | None:
    """The lines that surely mention one of the names; None when the site is not the first."""
    lasts = {name.rpartition(".")[2] for name in names}
    lines: list[int] = []
    for node in file.module.index.references:
        if isinstance(node, ast.Attribute):
            if node.attr not in lasts:
                continue
        elif not _is_imported(node):
            continue
        if file.name(node) in names:
            if not lines and node is not site.node:
                return None
            lines.append(node.lineno)
    return lines or None


def _is_imported(node: ast.expr) -> bool:
    bindings = backward.bindings(node) if isinstance(node, ast.Name) else []
    return bool(bindings) and bindings[0].kind == "import"
