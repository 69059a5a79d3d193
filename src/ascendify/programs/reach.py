"""Follow a program through the project: which code runs when it is started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from ascendify.programs import code as file_code
from ascendify.programs.activities import FRAMEWORKS, LOADS_BY_NAME, Activity
from ascendify.programs.code import Block, ClassCode, FileCode, names_below
from ascendify.source.project import Project, imported_names


@dataclass(frozen=True)
class Place:
    """Something that a program does, and in which file."""

    path: str
    activity: Activity

    def __str__(self) -> str:
        """Return call, file and line for a message."""
        return f"{self.activity.text} ({self.path}:{self.activity.line})"


@dataclass
class Reached:
    """The code that runs when a program is started."""

    files: dict[str, None] = field(default_factory=dict)
    """In the order in which they were found; the program first."""
    places: list[Place] = field(default_factory=list)
    framework: bool = False
    """Whether something of it imports a framework that trains."""

    def of_kind(self, *kinds: str) -> list[Place]:
        """Return what it does of some kinds."""
        return [place for place in self.places if place.activity.kind in kinds]


class Files:
    """The files of a project, taken apart when first needed."""

    def __init__(self, project: Project) -> None:
        """Take files from a project."""
        self.project = project
        self._codes: dict[str, FileCode] = {}

    def __call__(self, path: str) -> FileCode:
        """Return a file taken apart."""
        if path not in self._codes:
            self._codes[path] = self._read(path)
        return self._codes[path]

    def _read(self, path: str) -> FileCode:
        module = self.project.module(path)
        if module is not None:
            return file_code.read(module)
        try:
            text = self.project.read(path).decode("utf-8", errors="replace")
        except OSError as error:
            return FileCode(path, unreadable=str(error))
        why = str(self.project.errors[path])
        return file_code.read_text(path, text, imported_names(text), why)

    def beside_and_below(self, path: str) -> list[str]:
        """Return the modules in the folder of a file and in the folders below it."""
        folder = path.rpartition("/")[0]
        start = f"{folder}/" if folder else ""
        return sorted(other for other in self.project.files if other.startswith(start))


def reach(files: Files, path: str) -> Reached:
    """Follow a program from its start."""
    walk = _Walk(files)
    walk.add_file(path)
    walk.add_block(path, files(path).main)
    walk.run()
    return walk.reached


class _Walk:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.reached = Reached()
        self._pending: list[Callable[[], None]] = []
        self._blocks: set[int] = set()
        self._classes: dict[int, tuple[str, ClassCode]] = {}
        self._attributes: set[str] = set()
        self._resolved: set[tuple[str, str]] = set()

    def run(self) -> None:
        while self._pending:
            self._pending.pop()()

    def add_file(self, path: str) -> None:
        if path in self.reached.files:
            return
        self.reached.files[path] = None
        code = self.files(path)
        self.reached.framework = self.reached.framework or bool(FRAMEWORKS & code.packages)
        self.add_block(path, code.module)
        for other in self.files.project.imported_files(path, code.origins):
            self._pending.append(partial(self.add_file, other))

    def add_block(self, path: str, block: Block) -> None:
        if id(block) in self._blocks:
            return
        self._blocks.add(id(block))
        self.reached.places.extend(Place(path, activity) for activity in block.activities)
        for name in block.names:
            self._resolve(path, name)
        for chain in block.chains:
            self._resolve_chain(path, chain)
        new = block.attributes - self._attributes
        self._attributes |= new
        for owner, known in list(self._classes.values()):
            self._add_methods(owner, known, new)
        for name in block.looked_up:
            self._look_up(path, name)
        if any(activity.kind == LOADS_BY_NAME for activity in block.activities):
            self._load_by_name(path)

    def _add_class(self, path: str, known: ClassCode) -> None:
        if id(known) in self._classes:
            return
        self._classes[id(known)] = (path, known)
        self.add_block(path, known.body)
        for base in known.bases:
            self._resolve(path, base[0])
            self._resolve_chain(path, base)
        special = {name for name in known.methods if name.startswith("__")}
        self._add_methods(path, known, special | self._attributes)

    def _add_methods(self, path: str, known: ClassCode, names: set[str]) -> None:
        for name in names & known.methods.keys():
            self._pending.append(partial(self.add_block, path, known.methods[name]))

    def _resolve(self, path: str, name: str) -> None:
        """Follow a name of a file to the function or class that it stands for."""
        if (path, name) in self._resolved:
            return
        self._resolved.add((path, name))
        code = self.files(path)
        if name in code.functions:
            self._pending.append(partial(self.add_block, path, code.functions[name]))
        if name in code.classes:
            self._pending.append(partial(self._add_class, path, code.classes[name]))
        if name in code.imports:
            self._resolve_origin(path, code.imports[name])
        elif name not in code.functions and name not in code.classes:
            for star in code.stars:
                located = self.files.project.locate(path, star)
                if located is not None and located[0] is not None:
                    self._resolve(located[0], name)

    def _resolve_chain(self, path: str, chain: tuple[str, ...]) -> None:
        code = self.files(path)
        if len(chain) > 1 and chain[0] in code.imports:
            self._resolve_origin(path, ".".join((code.imports[chain[0]], *chain[1:])))

    def _resolve_origin(self, path: str, origin: str) -> None:
        located = self.files.project.locate(path, origin)
        if located is None or located[0] is None:
            return
        file, rest = located[0], located[2]
        self.add_file(file)
        if rest:
            self._resolve(file, rest[0])

    def _look_up(self, path: str, name: str) -> None:
        """Follow ``getattr(module, name)`` to everything that the module defines."""
        if not name:
            return
        if name == "self":
            for owner, known in list(self._classes.values()):
                if owner == path:
                    self._add_methods(path, known, set(known.methods))
            return
        code = self.files(path)
        first, _, rest = name.partition(".")
        if first not in code.imports:
            return
        origin = ".".join(filter(None, (code.imports[first], rest)))
        located = self.files.project.locate(path, origin)
        if located is None or located[0] is None or located[2]:
            return
        module = located[0]
        found = self.files(module)
        for item in (*names_below(found), *found.imports):
            self._resolve(module, item)
        for star in found.stars:
            deeper = self.files.project.locate(module, star)
            if deeper is not None and deeper[0] is not None:
                for item in names_below(self.files(deeper[0])):
                    self._resolve(deeper[0], item)

    def _load_by_name(self, path: str) -> None:
        """Follow modules that are imported by a computed name: those beside the importing file."""
        for other in self._loadable(path):
            self.add_file(other)
            for known in self.files(other).classes.values():
                self._add_class(other, known)

    def _loadable(self, path: str) -> Iterator[str]:
        for other in self.files.beside_and_below(path):
            code = self.files(other)
            if not code.guarded and not code.runner:
                yield other
