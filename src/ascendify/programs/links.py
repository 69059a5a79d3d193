"""The files of a project taken apart, and what each piece of code uses of them.

Programs of a project share most of its code: what a piece uses is found once, however many programs
run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ascendify.programs import code as file_code
from ascendify.programs.activities import BUILDS, RUNS, TRAINS
from ascendify.programs.code import Block, ClassCode, FileCode, names_below
from ascendify.source.project import Project, imported_names

_EFFECTS = frozenset({TRAINS, BUILDS, RUNS})


@dataclass
class Links:
    """The functions and classes of the project that a block uses, by the names that it reads."""

    files: dict[str, None] = field(default_factory=dict)
    blocks: list[tuple[str, Block]] = field(default_factory=list)
    """Functions that it names, each with its file."""
    classes: list[tuple[str, ClassCode]] = field(default_factory=list)


class Files:
    """The files of a project, taken apart when first needed."""

    def __init__(self, project: Project) -> None:
        """Take files from a project."""
        self.project = project
        self._codes: dict[str, FileCode] = {}
        self._imported: dict[str, list[str]] = {}
        self._import_folders: dict[str, list[str]] = {}
        self._links: dict[int, Links] = {}
        """By the identity of a piece of code or of a class."""

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

    def imported_by(self, path: str) -> list[str]:
        """Return the files of the project that a file imports."""
        if path not in self._imported:
            self._imported[path] = self.project.imported_files(path, self(path).origins)
        return self._imported[path]

    def import_folders(self, path: str) -> list[str]:
        """Return the folders that the absolute imports of a file start from, if it can be read."""
        if path not in self._import_folders:
            self._import_folders[path] = list(dict.fromkeys(self._find_import_folders(path)))
        return self._import_folders[path]

    def _find_import_folders(self, path: str) -> Iterator[str]:
        code = self(path)
        for origin in () if code.unreadable else code.origins:
            located = None if origin.startswith(".") else self.project.locate(path, origin)
            if located is not None:
                depth = len(origin.split(".")) - len(located[2])
                yield "/".join((located[1].split("/") if located[1] else [])[:-depth])

    def does_something(self, path: str) -> bool:
        """Whether a file without a main guard does more than define and set values.

        A settings file that another program loads names classes and functions, and calls none that
        trains.
        """
        code = self(path)
        run = (path, *self.imported_by(path))
        if code.acts or any(
            item.kind in _EFFECTS for one in run for item in self(one).module.activities
        ):
            return True
        return any(self._is_own_function(path, chain) for chain in code.assigned)

    def _is_own_function(self, path: str, chain: tuple[str, ...]) -> bool:
        """Whether a chain of names leads to a function of the project."""
        code = self(path)
        if not chain or not chain[-1].lstrip("_")[:1].islower():
            return False
        origin = code.imports.get(chain[0])
        return chain[0] in code.functions or (
            origin is not None and self.project.locate(path, origin) is not None
        )

    @cached_property
    def settings_files(self) -> list[str]:
        """Files that only set values, and that nothing imports: a program loads them by path."""
        return [
            path
            for path in sorted(self.project.files)
            if not self.project.importer_paths(path)
            and not (self(path).guarded or self(path).runner or self.does_something(path))
            and self.imported_by(path)
        ]

    def beside_and_below(self, path: str) -> list[str]:
        """Return the modules in the folder of a file and in the folders below it."""
        folder = path.rpartition("/")[0]
        start = f"{folder}/" if folder else ""
        return sorted(other for other in self.project.files if other.startswith(start))

    def links(self, path: str, block: Block) -> Links:
        """Return what a block of a file uses of the project."""
        if id(block) not in self._links:
            linker = _Linker(self)
            linker.add_block(path, block)
            self._links[id(block)] = linker.found
        return self._links[id(block)]

    def links_of_bases(self, path: str, known: ClassCode) -> Links:
        """Return the classes that a class of a file is derived from."""
        if id(known) not in self._links:
            linker = _Linker(self)
            for base in known.bases:
                linker.resolve(path, base[0])
                linker.resolve_chain(path, base)
            self._links[id(known)] = linker.found
        return self._links[id(known)]


class _Linker:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.found = Links()
        self._resolved: set[tuple[str, str]] = set()

    def add_block(self, path: str, block: Block) -> None:
        for name in block.names:
            self.resolve(path, name)
        for chain in block.chains:
            self.resolve_chain(path, chain)
        for name in block.looked_up:
            self._look_up(path, name)

    def resolve(self, path: str, name: str) -> None:
        """Find the function or class of the project that a name of a file means."""
        if (path, name) in self._resolved:
            return
        self._resolved.add((path, name))
        code = self.files(path)
        if name in code.functions:
            self.found.blocks.append((path, code.functions[name]))
        if name in code.classes:
            self.found.classes.append((path, code.classes[name]))
        if name in code.imports:
            self._resolve_origin(path, code.imports[name])
        elif name not in code.functions and name not in code.classes:
            for star in code.stars:
                located = self.files.project.locate(path, star)
                if located is not None and located[0] is not None:
                    self.resolve(located[0], name)

    def resolve_chain(self, path: str, chain: tuple[str, ...]) -> None:
        """Follow an attribute chain that starts at an import."""
        code = self.files(path)
        if len(chain) > 1 and chain[0] in code.imports:
            self._resolve_origin(path, ".".join((code.imports[chain[0]], *chain[1:])))

    def _resolve_origin(self, path: str, origin: str) -> None:
        located = self.files.project.locate(path, origin)
        if located is None or located[0] is None:
            return
        file, rest = located[0], located[2]
        self.found.files[file] = None
        if rest:
            self.resolve(file, rest[0])

    def _look_up(self, path: str, name: str) -> None:
        """Follow ``getattr(module, name)`` to everything that the module defines."""
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
            self.resolve(module, item)
        for star in found.stars:
            deeper = self.files.project.locate(module, star)
            if deeper is not None and deeper[0] is not None:
                for item in names_below(self.files(deeper[0])):
                    self.resolve(deeper[0], item)
