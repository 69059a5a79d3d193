"""What docs/architecture.md draws from the code: rooms, arrows between them, the way of a command.

A way lists the functions a command passes through, each with the first line of its docstring. A
function that does not exist, or that none before it calls, is an error: :func:`broken_hops`.
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
        "migrate.pipeline:migrate_known",
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
    "verify": (
        "cli.verify:command",
        "cli.verify:perform",
        "verify.session:verify",
        "verify.sides:run",
        "verify.sides:plan_side",
        "jobs.plan:plan",
        "jobs.run:run",
        "processes.running:run_all",
        "verify.captured:read_all",
        "verify.judge:judge",
        "verify.text:render",
    ),
    "launch": (
        "cli.launch:command",
        "launch.session:prepare",
        "launch.request:plan_job",
        "jobs.plan:plan",
        "jobs.environment:variables_of",
        "launch.session:Launch.run",
        "launch.engines:EngineInput.run",
        "jobs.run:run",
        "processes.running:run_all",
        "jobs.blame:blame",
        "cli.job_output:show",
    ),
    "zoo train": (
        "cli.zoo.train:command",
        "zoo.runs:plan",
        "zoo.training.loop:train",
        "zoo.device:open_device",
        "zoo.training.loop:Trainer.open_data",
        "zoo.training.loop:Trainer.train",
        "zoo.training.loading:open_source",
        "zoo.training.steps:Stepper.__call__",
        "zoo.training.evaluation:evaluate",
        "zoo.training.checkpoints:save",
    ),
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
    for number, (hop, caller) in enumerate(zip(hops, _callers(hops)), 1):
        path, name = _split(hop)
        first = _docstring(_function(hop)).split("\n")[0]
        where = path.relative_to(rooms.PACKAGE).as_posix()
        back = f" (called by step {caller})" if caller is not None and caller < number - 1 else ""
        lines.append(f"{number}. `{where}`, `{name}`{back}: {first}")
    return lines


def broken_hops() -> list[str]:
    """List the functions of ways that do not exist, or that no function before them calls."""
    problems = []
    for name, hops in WAYS.items():
        missing = [error for error in map(_missing, hops) if error]
        problems += [f"{name}: {error}" for error in missing]
        if not missing:
            callers = [None if caller is None else hops[caller - 1] for caller in _callers(hops)]
            problems += [
                f"{name}: no function before {hop} mentions it"
                for hop, caller in list(zip(hops, callers))[1:]
                if caller is None
            ]
    return problems


def _missing(hop: str) -> str:
    try:
        _function(hop)
    except LookupError as error:
        return str(error)
    return ""


def _callers(hops: tuple[str, ...]) -> list[int | None]:
    """For each hop the number of the hop that calls it, counted from 1; None for the first.

    A function calls the next one, or returns, and one of those that called it calls the next.
    """
    found: list[int | None] = []
    open_calls: list[int] = []
    for number, hop in enumerate(hops, 1):
        while open_calls and not _leads(hops[open_calls[-1] - 1], hop):
            open_calls.pop()
        found.append(open_calls[-1] if open_calls else None)
        open_calls.append(number)
    return found


def _leads(hop: str, following: str) -> bool:
    """Whether a function, or a private one that it uses, mentions the function of the next hop."""
    path, _ = _split(hop)
    target, name = _split(following)
    owner, _, wanted = name.rpartition(".")
    dotted = ".".join(("ascendify", *target.relative_to(rooms.PACKAGE).with_suffix("").parts))
    dotted = dotted.removesuffix(".__init__")
    module = rooms.tree(path)
    if path != target and dotted not in rooms.imported_modules(module, rooms.package_of(path)):
        return False
    if wanted.startswith("__"):  # called through an object: only its class is named
        return owner in _names(module)
    return wanted in _mentioned(module, _function(hop))


def _mentioned(module: ast.Module, function: ast.AST) -> set[str]:
    """Names in a function and in the private functions of its module that it uses."""
    renamed = {
        alias.asname: alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    functions = {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    found: set[str] = set()
    waiting = [function]
    while waiting:
        new = _names(waiting.pop()) - found
        found |= new
        waiting += [functions[name] for name in new if name[0] == "_" and name in functions]
    return found | {renamed[name] for name in found if name in renamed}


def _names(tree: ast.AST) -> set[str]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


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
