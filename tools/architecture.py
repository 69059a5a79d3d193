"""What docs/architecture.md draws from the code: rooms, arrows between them, the way of a command.

A way lists the functions a command passes through, each with the first line of its docstring. A
function that is gone, or that none of those before it uses, is an error: :func:`broken_hops`.
"""

from __future__ import annotations

import ast
from pathlib import Path

import rooms

WAYS: dict[str, tuple[str, ...]] = {
    "migrate": (
        "cli.migrate:command",
        "migrate.settings:load",
        "migrate.pipeline:migrate",
        "migrate.discovery:files",
        "migrate.survey:survey",
        "migrate.workers:Workers.migrate",
        "migrate.file_migrator:FileMigrator.migrate",
        "migrate.passes:migrate_python",
        "migrate.analyse:Analyser.python",
        "migrate.fixing:fix_python",
        "migrate.writer:write",
        "cli.output:show",
    ),
    "verify": (),
    "launch": (),
    "zoo train": (),
}
"""Command -> hops, each ``module:function`` below ``ascendify``; a method is ``Class.method``."""


def insertions() -> dict[str, str]:
    """Marker of the page -> the text that belongs after it."""
    ways = {f"way of {name}": _block(_way(hops)) for name, hops in WAYS.items()}
    return {"rooms": _block(_rooms()), "arrows": _block(_arrows()), **ways}


def _block(lines: list[str]) -> str:
    return "\n" + "\n".join(lines) + "\n"


# --- rooms -------------------------------------------------------------------------------------


def _rooms() -> list[str]:
    """A table of the rooms, layer by layer from the top."""
    lines = ["| room | what it owns |", "| --- | --- |"]
    for layer in rooms.LAYERS:
        for room in sorted(layer & rooms.arrows().keys()):
            text = " ".join(_docstring(_entry(room)).split("\n\n")[0].split())
            lines.append(f"| `{room}` | {text} |")
    return lines


def _entry(room: str) -> ast.Module:
    folder = rooms.PACKAGE / room
    return rooms.tree(folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py"))


def _docstring(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return (ast.get_docstring(node) or "").replace("|", "\\|")


# --- arrows ------------------------------------------------------------------------------------


def _arrows() -> list[str]:
    """A diagram of who imports whom; an arrow that follows from others is left out."""
    lines = ["```mermaid", "flowchart TD"]
    for layer in rooms.LAYERS:
        for room in sorted(layer & rooms.arrows().keys()):
            lines += [f"    {room} --> {other}" for other in sorted(_direct(room))]
    return [*lines, "```"]


def _direct(room: str) -> set[str]:
    """Rooms that a room imports and that none of the others it imports reaches."""
    others = rooms.arrows()[room]
    return {
        other for other in others if not any(other in _reached(via) for via in others - {other})
    }


def _reached(room: str) -> set[str]:
    direct = rooms.arrows().get(room, frozenset())
    return {*direct, *(far for other in direct for far in _reached(other))}


# --- ways --------------------------------------------------------------------------------------


def _way(hops: tuple[str, ...]) -> list[str]:
    lines = []
    for number, hop in enumerate(hops, 1):
        path, name = _split(hop)
        first = _docstring(_function(hop)).split("\n")[0]
        where = path.relative_to(rooms.PACKAGE).as_posix()
        lines.append(f"{number}. `{where}`, `{name}`: {first}")
    return lines


def broken_hops() -> list[str]:
    """Say which function of a way is not there, or is used by none of those before it."""
    problems = []
    for name, hops in WAYS.items():
        for hop in hops:
            try:
                _function(hop)
            except LookupError as error:
                problems.append(f"{name}: {error}")
        problems += [
            f"{name}: no hop before {following} uses it"
            for number, following in enumerate(hops[1:], 1)
            if not any(_leads(hop, following) for hop in hops[:number])
        ]
    return problems


def _leads(hop: str, following: str) -> bool:
    """Whether the module of one hop uses the function of the next, or the class that has it."""
    path, _ = _split(hop)
    target, name = _split(following)
    wanted = name.split(".")[0]
    tree = rooms.tree(path)
    mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    mentioned |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    dotted = ".".join(("ascendify", *target.relative_to(rooms.PACKAGE).with_suffix("").parts))
    dotted = dotted.removesuffix(".__init__")
    imported = set(rooms.imported_modules(tree, rooms.package_of(path)))
    return wanted in mentioned and (path == target or dotted in imported)


def _split(hop: str) -> tuple[Path, str]:
    module, name = hop.split(":")
    path = rooms.PACKAGE / module.replace(".", "/")
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")), name


def _function(hop: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    path, name = _split(hop)
    if not path.is_file():
        raise LookupError(f"{hop}: there is no {path.relative_to(rooms.PACKAGE).as_posix()}")
    body: list[ast.stmt] = rooms.tree(path).body
    *classes, function = name.split(".")
    for wanted in classes:
        found = [item for item in body if isinstance(item, ast.ClassDef) and item.name == wanted]
        body = found[0].body if found else []
    for item in body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == function:
            return item
    raise LookupError(f"{hop}: there is no such function")
