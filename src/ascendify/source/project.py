"""The project: which files it has, which modules they are, and who imports whom."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Optional

from ascendify.source.module import CallNames, Module
from ascendify.source.reads import Read, Reading
from ascendify.source.text import SourceError

_SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", "__pycache__", "node_modules", ".tox", ".nox", ".eggs",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".ascendify_cache",
    }
)  # fmt: skip
_REST = r"[^\n#;\\]*(?:\\\r?\n[^\n#;\\]*)*"
"""The rest of a logical line, without a comment or another statement."""
_REMARK = re.compile(r"#[^\n]*")
_IMPORT = re.compile(
    r"[ \t]*(?:from[ \t]*([.\w]+)[ \t]+import\b[ \t]*"
    rf"(\((?:[^)#]|#[^\n]*)*\)|{_REST})|import[ \t]+({_REST}))"
)


@dataclass(frozen=True)
class Tree:
    """The files and folders below a folder."""

    files: tuple[str, ...]
    """POSIX paths of every file and symbolic link, sorted."""
    empty_folders: tuple[str, ...] = ()
    links: frozenset[str] = frozenset()
    """Which of the files are symbolic links."""


def discover(root: Path) -> Tree:
    """Every file below ``root``.

    Version control folders, caches and virtual environments are not part of a project.
    """
    files: list[str] = []
    empty: list[str] = []
    links: list[str] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as listing:
            entries = list(listing)
        if not entries and folder:
            empty.append(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS and not _is_environment(entry.path):
                    pending.append(path)
            elif entry.is_symlink():
                files.append(path)
                links.append(path)
            elif entry.is_file(follow_symlinks=False):
                files.append(path)
    return Tree(tuple(sorted(files)), tuple(sorted(empty)), frozenset(links))


def _is_environment(folder: str) -> bool:
    """Whether a folder is a virtual or conda environment."""
    marks = ("pyvenv.cfg", "conda-meta")
    return any(os.path.exists(os.path.join(folder, mark)) for mark in marks)  # noqa: PTH110, PTH118 - hot path


def imported_names(text: str) -> list[str]:
    """Dotted origins of the imports in a text, found without parsing; may name a few too many."""
    found: list[str] = []
    for match in _imports(text):
        base, names, modules = match.groups()
        if base:
            joint = "" if base.endswith(".") else "."
            listed = _REMARK.sub("", names).strip("() \t\r\n").replace("\\", " ")
            for item in listed.split(","):
                words = item.split()
                if words:
                    found.append(base if words[0] == "*" else f"{base}{joint}{words[0]}")
        else:
            items = modules.replace("\\", " ").split(",")
            found.extend(words[0] for item in items if (words := item.split()))
    return found


def _imports(text: str) -> Iterator[re.Match[str]]:
    """What may be import statements; going from one such word to the next skips nearly all text."""
    at, end = text.find("import"), 0
    while at >= 0:
        start = max(text.rfind("\n", 0, at), text.rfind(";", 0, at)) + 1
        match = _IMPORT.match(text, start) if start >= end else None
        if match is not None:
            yield match
            end = match.end()
        at = text.find("import", max(end, at + 1))


Location = tuple[Optional[str], str, tuple[str, ...]]
"""Where an import leads: a file (None for a bare folder), a folder, and the names left over."""


def _closure(paths: Iterable[str], following: Mapping[str, Sequence[str]]) -> set[str]:
    """Some files, and those that follow them over any number of others."""
    seen = set(paths)
    pending = list(seen)
    while pending:
        new = set(following.get(pending.pop(), ())) - seen
        seen |= new
        pending.extend(new)
    return seen


def _may_import_itself(importer: str, origin: str) -> bool:
    """Whether an import in a file may mean the file itself, as only in packages.

    In a script named like a package, the package is meant.
    """
    return origin.startswith(".") or importer.endswith("__init__.py")


class Project:
    """The Python files of a project, parsed when first needed."""

    def __init__(
        self,
        root: Path,
        python_files: Iterable[str],
        sources: Mapping[str, str] | None = None,
        *,
        external: frozenset[str] = frozenset(),
        imported_by: Mapping[str, list[str]] | None = None,
        relevant: frozenset[str] | None = None,
        known_calls: Mapping[str, CallNames] | None = None,
    ) -> None:
        """Describe a project.

        Args:
            root: Where the files are.
            python_files: Their paths relative to the root.
            sources: Contents that stand in for files.
            external: Packages that a bare folder of the same name does not shadow.
            imported_by: Who imports whom, where that is already known.
            relevant: The files that may name something of interest outside the project, where
                that is already known; the others are parsed only for what they define.
            known_calls: What :meth:`call_names` answers for files, where that is already known.
        """
        self.root = root
        self.reading = Reading()
        """Records what of the project is looked at."""
        self._files = frozenset(python_files)
        self._sources = dict(sources or {})
        self._external = external
        self._known_importers = imported_by
        self._relevant = self._files if relevant is None else relevant
        self._modules: dict[str, Module | None] = {}
        self._replaced: list[Module] = []
        self.known_calls: dict[str, CallNames] = dict(known_calls or {})
        """File -> the names it calls, for files where they were needed."""
        self.located: dict[str, dict[str, Location | None]] = {}
        """Where imports lead, by importer and origin, as far as they were looked up."""
        self._located_from: dict[tuple[str, str], Location | None] = {}
        self._imports: dict[str, tuple[str, list[str]]] = {}
        self._with_words: dict[Read, tuple[str, ...]] = {}
        self._words_in: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._linked: dict[str, tuple[str, ...]] = {}
        self.errors: dict[str, SourceError] = {}
        """Why a module could not be parsed."""

    @property
    def files(self) -> frozenset[str]:
        """Every Python file."""
        self.reading.note("files")
        return self._files

    @property
    def relevant(self) -> frozenset[str]:
        """The files that may name something of interest outside the project."""
        self.reading.note("relevant files")
        return self._relevant

    def relevant_named(self, name: str) -> list[str]:
        """Relevant files with a name, in any folder, sorted."""
        self.reading.note("relevant named", name)
        return self._relevant_by_name.get(name, [])

    @cached_property
    def _relevant_by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._relevant):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def has(self, path: str) -> bool:
        """Whether there is such a Python file."""
        self.reading.note("has", path)
        return path in self._files

    def is_relevant(self, path: str) -> bool:
        """Whether a file may name something of interest outside the project."""
        self.reading.note("is relevant", path)
        return path in self._relevant

    def module(self, path: str) -> Module | None:
        """The parsed module, None when it cannot be parsed (see :attr:`errors`)."""
        self.reading.note("file", path)
        return self._parsed(path)

    def _parsed(self, path: str) -> Module | None:
        if path not in self._modules:
            try:
                self._modules[path] = Module.parse(path, self._content(path))
            except (SourceError, OSError) as error:
                self._modules[path] = None
                self.errors[path] = (
                    error.kept() if isinstance(error, SourceError) else SourceError(str(error))
                )
        return self._modules[path]

    def read(self, path: str) -> bytes:
        """A file's bytes."""
        self.reading.note("file", path)
        return self._content(path)

    def mentions(self, path: str, *words: str) -> bool:
        """Whether a file contains one of these words; an unreadable file contains none."""
        self.reading.note("mentions", path, *words)
        return self._has_word(path, words)

    def _had_word(self, path: str, words: tuple[str, ...]) -> bool:
        """Whether a file contained one of these words when that was asked first."""
        key = (path, words)
        if key not in self._words_in:
            self._words_in[key] = self._has_word(path, words)
        return self._words_in[key]

    def _has_word(self, path: str, words: tuple[str, ...]) -> bool:
        try:
            content = self._content(path)
        except OSError:
            return False
        return any(word.encode() in content for word in words)

    def relevant_with(self, *words: str) -> Sequence[str]:
        """Relevant files that contain one of some words, sorted."""
        return self._having(("relevant with", *words), self._relevant, words)

    def linked_with(self, path: str, *words: str) -> Sequence[str]:
        """Of the files that may run together with one, itself included, those with some words."""
        return self._having(("linked with", path, *words), self.linked(path), words)

    def linked(self, path: str) -> tuple[str, ...]:
        """The files that may run in one program with one, sorted.

        They are what imports it, over any number of files, and all that these import.
        """
        if path not in self._linked:
            users = _closure([path], self._imported_by)
            self._linked[path] = tuple(sorted(_closure(users, self._imported_from)))
        return self._linked[path]

    def _having(self, read: Read, paths: Iterable[str], words: tuple[str, ...]) -> Sequence[str]:
        """Of some files, those with one of some words; rules ask the same for file after file."""
        self.reading.note(*read)
        if read not in self._with_words:
            found = (path for path in sorted(paths) if self._had_word(path, words))
            self._with_words[read] = tuple(found)
        return self._with_words[read]

    def _content(self, path: str) -> bytes:
        if path in self._sources:
            return self._sources[path].encode()
        return (self.root / path).read_bytes()

    def holds(self, module: Module) -> bool:
        """Whether exactly this module is the project's module for its path."""
        return self._modules.get(module.path) is module

    def put(self, module: Module) -> None:
        """Take an already parsed module (a notebook, a text under test)."""
        known = self._modules.get(module.path)
        if known is not None and known is not module:
            self._replaced.append(known)
        self.known_calls.pop(module.path, None)
        self._modules[module.path] = module

    @contextmanager
    def overlay(self, module: Module) -> Iterator[None]:
        """Replace the text of one file for a while; afterwards the project is as before."""
        path = module.path
        had, before = path in self._modules, self._modules.get(path)
        self.put(module)
        try:
            yield
        finally:
            self.known_calls.pop(path, None)
            if before is not None:
                self.put(before)
            elif had:
                self._modules[path] = None
            else:
                self._replaced.append(module)
                del self._modules[path]

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self._files:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def _names(self) -> frozenset[str]:
        """Last names of all modules and folders; imports of other names are from outside."""
        modules = (path.rpartition("/")[2].rpartition(".")[0] for path in self._files)
        return frozenset((*modules, *(path.rpartition("/")[2] for path in self._folders)))

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._files):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def beside(self, path: str) -> list[str]:
        """The files in the folder of a file, itself included, sorted."""
        self.reading.note("beside", path)
        return self._by_folder.get(path.rpartition("/")[0], [])

    def release(self) -> None:
        """Free every parsed tree; modules got before cannot be used afterwards."""
        # one that was replaced and put back is here twice; the second time there is nothing to do
        for module in (*self._modules.values(), *self._replaced):
            if module is not None and "index" in module.__dict__:
                module.index.release()
                del module.index
        self._modules.clear()
        self._replaced.clear()
        self.errors.clear()
        self.reading.clear()

    def release_replaced(self) -> None:
        """Free the trees of texts that files had for a while; see :meth:`overlay`."""
        kept = {id(module) for module in self._modules.values()}
        for module in self._replaced:
            if id(module) not in kept and "index" in module.__dict__:
                module.index.release()
                del module.index
        self._replaced = [module for module in self._replaced if id(module) in kept]

    def locate(self, importer: str, origin: str) -> Location | None:
        """Where an import leads inside the project: file, folder and the names left over.

        Absolute imports are looked up from the importer's folder outwards to the root, which is
        how scripts and packages with their own path settings both resolve. None: not of the
        project.
        """
        known = self.located.setdefault(importer, {})
        if origin not in known:
            known[origin] = self._locate_for(importer, origin)
        return known[origin]

    def _locate_for(self, importer: str, origin: str) -> Location | None:
        folder = importer.rpartition("/")[0]
        located = self._locate_from(folder, origin)
        if located is None or located[0] != importer or _may_import_itself(importer, origin):
            return located
        return self._locate_from(folder.rpartition("/")[0], origin) if folder else None

    def _locate_from(self, folder: str, origin: str) -> Location | None:
        key = (folder, origin)
        if key not in self._located_from:
            self._located_from[key] = self._locate(folder, origin)
        return self._located_from[key]

    def _locate(self, folder: str, origin: str) -> Location | None:
        level = len(origin) - len(origin.lstrip("."))
        parts = tuple(part for part in origin.lstrip(".").split(".") if part)
        if level:
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0]
            init = f"{folder}/__init__.py".lstrip("/")
            package = init if init in self._files else None
            if not parts:
                return (package, folder, ())
            located = self._descend(folder, parts)
            # what is not a module of the package is a name that the package defines
            return located if located or package is None else (package, folder, parts)
        if not parts or parts[0] not in self._names:
            return None
        while True:
            located = self._descend(folder, parts)
            if located is not None and not self._is_external(folder, parts[0]):
                return located
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _is_external(self, folder: str, name: str) -> bool:
        """Whether a name stands for the installed package although the project has such a file.

        A folder without ``__init__`` gives way to it, and a module of a package is not found by
        its bare name.
        """
        if name not in self._external:
            return False
        child = f"{folder}/{name}" if folder else name
        own = f"{child}.py" in self._files or f"{child}/__init__.py" in self._files
        return not own or f"{folder}/__init__.py" in self._files

    def inside(self, folder: str, name: str) -> tuple[str | None, str] | None:
        """The submodule ``name`` of a package folder."""
        self.reading.note("inside", folder, name)
        located = self._descend(folder, (name,))
        return (located[0], located[1]) if located is not None and not located[2] else None

    def _descend(self, folder: str, parts: tuple[str, ...]) -> Location | None:
        path: str | None = None
        for number, part in enumerate(parts):
            child = f"{folder}/{part}" if folder else part
            init = f"{child}/__init__.py"
            if f"{child}.py" in self._files and init not in self._files:
                # a module comes before a folder of the same name without ``__init__``
                return (f"{child}.py", child, parts[number + 1 :])
            if child in self._folders:
                path = init if init in self._files else None
                folder = child
            elif number == 0:
                return None
            else:
                # names below a bare folder lead nowhere
                return (path, folder, parts[number:]) if path is not None else None
        return (path, folder, ())

    @cached_property
    def _imported_by(self) -> Mapping[str, list[str]]:
        if self._known_importers is not None:
            return self._known_importers
        found: dict[str, list[str]] = {}
        for importer in sorted(self._files):
            text = self._content(importer).decode("utf-8", errors="replace")
            for path in self.imports(importer, text):
                found.setdefault(path, []).append(importer)
        return found

    def imports(self, importer: str, text: str) -> list[str]:
        """Paths of the project files a file imports, found without parsing."""
        known = self._imports.get(importer)
        if known is not None and known[0] == text:
            return known[1]
        found = self.imported_files(importer, imported_names(text))
        self._imports[importer] = (text, found)
        return found

    def imported_files(self, importer: str, origins: Iterable[str]) -> list[str]:
        """Paths of the project files that a file's imports lead to, without itself."""
        found: dict[str, None] = {}
        for origin in origins:
            located = self.locate(importer, origin)
            if located is not None and located[0] is not None and located[0] != importer:
                found[located[0]] = None
        return list(found)

    def imported(self, module: Module) -> list[Module]:
        """The modules of the project that a module imports, parsed."""
        found = map(self.module, self.imports(module.path, module.source.text))
        return [other for other in found if other is not None]

    def importers(self, path: str) -> list[Module]:
        """The modules that import a file, parsed."""
        modules = map(self.module, self.importer_paths(path))
        return [module for module in modules if module is not None]

    def importer_paths(self, path: str) -> Sequence[str]:
        """The files that import a file."""
        self.reading.note("importers", path)
        return self._imported_by.get(path, ())

    def is_imported(self, path: str) -> bool:
        """Whether a file that can be parsed imports a file; one such is enough."""
        return any(self.module(importer) is not None for importer in self.importer_paths(path))

    def imported_paths(self, path: str) -> Sequence[str]:
        """The files that a file imports, sorted; it is neither parsed nor read."""
        self.reading.note("imports", path)
        return self._imported_from.get(path, ())

    @cached_property
    def _imported_from(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for imported in sorted(self._imported_by):
            for importer in self._imported_by[imported]:
                found.setdefault(importer, []).append(imported)
        return found

    def importers_calling(self, path: str, names: frozenset[str]) -> list[Module]:
        """The parsed modules that import a file and call one of these names."""
        found = map(self.call_names, self.importer_paths(path))
        files = [file for file in found if file is not None]
        self.searched_for_calls(path, files)
        calling = (file.path for file in files if not names.isdisjoint(file.names))
        return [module for module in map(self.module, calling) if module is not None]

    def call_names(self, path: str) -> CallNames | None:
        """The names of what a file calls, None when it cannot be parsed.

        They are kept when trees are freed, so that a file is parsed once to be searched for calls,
        and not at all where its names are known from an earlier run.
        """
        known = self.known_calls.get(path)
        if known is None:
            module = self._parsed(path)
            if module is None:
                self.reading.note("file", path)
                return None
            known = self.known_calls[path] = module.call_names
        return known

    def module_to_search(self, path: str) -> Module | None:
        """A parsed module that is searched for calls; :meth:`searched_for_calls` notes that."""
        return self._parsed(path)

    def searched_for_calls(self, name: str, files: Iterable[CallNames]) -> None:
        """Note that calls were looked for in some files: which names are called there counts."""
        self.reading.note_group(
            name, frozenset(("calls", file.path, file.digest) for file in files)
        )
