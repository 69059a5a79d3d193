"""Halve the batch size that a program has in its code or in a settings file.

Most small programs have no option for it: ``batch_size = 64`` stands in a module, a class, a
dictionary, the default of a parameter, or in ``params.json``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.source.nodes import last_name

_NAME = re.compile(
    r"_*(n_|num_|the_)?((train(ing)?|mini|global|device|gpu|per_device)_?)*batch(_?size)?"
    r"(_?(train(ing)?|per_(gpu|device|replica)))?",
    re.I,
)
"""Names of the batch size that a training uses; those of an evaluation say so."""
_SETTING = re.compile(r"^[ \t{,]*(['\"]?)(?P<name>[\w-]+)\1[ \t]*[:=][ \t]*(?P<number>\d+)\b", re.M)
_SETTINGS = (".json", ".yaml", ".yml", ".ini", ".cfg", ".conf")
_LARGEST = 1 << 16
"""Bytes; a larger file holds data rather than settings."""
_TAKES_SIZE = frozenset({"batch", "padded_batch", "map_and_batch", "batch_and_drop_remainder"})
"""Methods of datasets whose first argument is the batch size."""


@dataclass(frozen=True)
class HalvedBatch:
    """Files of a project with half of the batch size, and what was halved."""

    files: tuple[tuple[str, bytes], ...]
    """Paths from the root of the project, with the new content."""
    note: str


@dataclass(frozen=True)
class _Size:
    path: str
    line: int
    start: int
    """Bytes from the beginning of the file."""
    name: str
    value: int

    @property
    def end(self) -> int:
        return self.start + len(str(self.value))


def halve_in_files(project: Path, paths: Sequence[str]) -> HalvedBatch | None:
    """Halve every batch size that the files of a program name; None where there is none.

    Settings files of the project count as well, where the code has no batch size. Sizes without
    a half stay.
    """
    sources = [path for path in paths if path.endswith(".py")]
    found = [size for path in sources for size in _in_code(project, path)]
    for others in (_in_settings(project), _of_datasets(project, sources)):
        found = found or list(others)
    halved = [size for size in found if size.value % 2 == 0 and size.value]
    if not halved:
        return None
    contents = {size.path: (project / size.path).read_bytes() for size in halved}
    for size in sorted(halved, key=lambda one: -one.start):
        text = contents[size.path]
        half = str(size.value // 2).encode()
        contents[size.path] = text[: size.start] + half + text[size.end :]
    return HalvedBatch(tuple(contents.items()), _note(halved))


def _note(halved: Sequence[_Size]) -> str:
    first = halved[0]
    more = f" and {len(halved) - 1} more" if len(halved) > 1 else ""
    return (
        f"with {first.name} {first.value // 2} instead of {first.value} on each, changed for this "
        f"in {first.path}:{first.line}{more}"
    )


def _in_code(project: Path, path: str) -> Iterator[_Size]:
    """Numbers that code binds to a name of the batch size."""
    text, tree = _parsed(project, path)
    for node in ast.walk(tree):
        for name, value in _named(node):
            if _NAME.fullmatch(name):
                yield from _size(path, text, name, value)


def _of_datasets(project: Path, paths: Iterable[str]) -> Iterator[_Size]:
    """Numbers that are passed to a dataset's own method, as in ``dataset.batch(64)``."""
    for path in paths:
        text, tree = _parsed(project, path)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and last_name(node.func) in _TAKES_SIZE:
                yield from _size(path, text, f"{last_name(node.func)}()", node.args[0])


def _parsed(project: Path, path: str) -> tuple[bytes, ast.Module]:
    text = (project / path).read_bytes()
    try:
        return text, ast.parse(text)
    except (SyntaxError, ValueError):
        return text, ast.Module(body=[], type_ignores=[])


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Places where a number gets a name: variables, attributes, keys, parameters, flags."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif isinstance(node, ast.AnnAssign):
        yield from _assigned(node.target, node.value)
    elif isinstance(node, ast.Dict):
        yield from ((str(_text(key)), value) for key, value in zip(node.keys, node.values))
    elif isinstance(node, ast.arguments):
        given = [*node.posonlyargs, *node.args]
        yield from zip((one.arg for one in given[::-1]), node.defaults[::-1])
        yield from zip((one.arg for one in node.kwonlyargs), node.kw_defaults)
    elif isinstance(node, ast.Call):
        yield from ((item.arg or "", item.value) for item in node.keywords)
        yield from _declared(node)


def _assigned(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts):
            yield from _assigned(one, other)
    elif isinstance(target, ast.Subscript):
        yield str(_text(target.slice)), value
    else:
        yield last_name(target), value


def _declared(call: ast.Call) -> Iterator[tuple[str, ast.expr | None]]:
    """An option of argparse or a flag, with its default."""
    name = str(_text(call.args[0])).lstrip("-").replace("-", "_") if call.args else ""
    default = next((item.value for item in call.keywords if item.arg == "default"), None)
    if last_name(call.func).startswith("DEFINE_") and default is None and len(call.args) > 1:
        default = call.args[1]
    yield name, default


def _text(node: ast.AST | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _size(path: str, text: bytes, name: str, value: ast.expr | None) -> Iterator[_Size]:
    if not isinstance(value, ast.Constant) or type(value.value) is not int:
        return
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: value.lineno - 1])) + value.col_offset
    size = _Size(path, value.lineno, start, name, value.value)
    if text[start : size.end] == str(value.value).encode():
        yield size


def _in_settings(project: Path) -> Iterator[_Size]:
    """Numbers of settings files that have a name of the batch size."""
    for file in sorted(project.rglob("*")):
        if file.suffix not in _SETTINGS or not file.is_file() or file.stat().st_size > _LARGEST:
            continue
        text = file.read_bytes().decode("latin-1")  # a character for each byte
        for found in _SETTING.finditer(text):
            name = found["name"].replace("-", "_")
            if _NAME.fullmatch(name):
                line = text.count("\n", 0, found.start("number")) + 1
                path = file.relative_to(project).as_posix()
                yield _Size(path, line, found.start("number"), name, int(found["number"]))
