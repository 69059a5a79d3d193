"""Follow a program through the project: which code runs when it is started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from ascendify.programs.activities import FRAMEWORKS, LOADS_BY_NAME, LOADS_BY_PATH, Activity
from ascendify.programs.code import Block, ClassCode
from ascendify.programs.links import Files, Links


@dataclass(frozen=True)
class ProgramAction:
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
    places: list[ProgramAction] = field(default_factory=list)
    framework: bool = False
    """Whether code that the program reaches imports a framework that trains."""

    def of_kind(self, *kinds: str) -> list[ProgramAction]:
        """Return the reached calls that are of some kinds."""
        return [place for place in self.places if place.activity.kind in kinds]


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
        self._methods: dict[str, list[tuple[str, Block]]] = {}
        """The methods of these classes by name, each with its file."""
        self._attributes: set[str] = set()

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
        for other in self.files.imported_by(path):
            self._pending.append(partial(self.add_file, other))

    def add_block(self, path: str, block: Block) -> None:
        if id(block) in self._blocks:
            return
        self._blocks.add(id(block))
        done = block.activities  # most blocks do nothing of interest
        if done:
            self.reached.places.extend(ProgramAction(path, activity) for activity in done)
        self._follow(self.files.links(path, block))
        for name in block.attributes:
            if name not in self._attributes:
                self._attributes.add(name)
                for owner, method in self._methods.get(name, ()):
                    self._pending.append(partial(self.add_block, owner, method))
        if "self" in block.looked_up:
            self._add_all_methods(path)
        if done and any(activity.kind == LOADS_BY_NAME for activity in done):
            self._load_by_name(path)
        if done and any(activity.kind == LOADS_BY_PATH for activity in done):
            for other in self.files.settings_files:
                self.add_file(other)

    def _add_class(self, path: str, known: ClassCode) -> None:
        if id(known) in self._classes:
            return
        self._classes[id(known)] = (path, known)
        self.add_block(path, known.body)
        self._follow(self.files.links_of_bases(path, known))
        for name, method in known.methods.items():
            self._methods.setdefault(name, []).append((path, method))
            if name.startswith("__") or name in self._attributes:
                self._pending.append(partial(self.add_block, path, method))

    def _follow(self, links: Links) -> None:
        for file in links.files:
            self.add_file(file)
        # most of what a project's code names was followed before
        for owner, block in links.blocks:
            if id(block) not in self._blocks:
                self._pending.append(partial(self.add_block, owner, block))
        for owner, known in links.classes:
            if id(known) not in self._classes:
                self._pending.append(partial(self._add_class, owner, known))

    def _add_all_methods(self, path: str) -> None:
        """Follow ``getattr(self, name)`` to all methods of the file's classes."""
        for owner, known in self._classes.values():
            if owner == path:
                for method in known.methods.values():
                    self._pending.append(partial(self.add_block, path, method))

    def _load_by_name(self, path: str) -> None:
        """Follow modules imported by a computed name: those in the importing file's folder."""
        for other in self._loadable(path):
            self.add_file(other)
            for known in self.files(other).classes.values():
                self._add_class(other, known)

    def _loadable(self, path: str) -> Iterator[str]:
        for other in self.files.beside_and_below(path):
            code = self.files(other)
            if not code.guarded and not code.runner:
                yield other
