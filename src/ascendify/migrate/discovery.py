"""Discover the files of a project: which there are, which to look at, what kind each is."""

from __future__ import annotations

import fnmatch
import hashlib
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.migrate.settings import Settings
from ascendify.source.project import Tree, discover

_TEXT_NAMES = (
    ("shell", ("*.sh", "*.bash", "*.slurm", "*.sbatch", "*.pbs", "*.lsf", "*.env", ".env.*")),
    ("requirements", ("*requirements*.txt", "requirements/*.txt", "constraints*.txt")),
    ("docker", ("*Dockerfile*", "*.dockerfile", "Containerfile*")),
    ("make", ("Makefile", "makefile", "GNUmakefile", "Makefile.*", "*.mk")),
    ("yaml", ("environment*.yml", "environment*.yaml", "conda*.yml", "conda*.yaml")),
    (
        "config",
        ("*.yaml", "*.yml", "*.json", "*.toml", "*.ini", "*.cfg", "*.conf", "*.gin", "Pipfile"),
    ),
)
_CONFIG_BYTES = 200_000
"""Files of these formats that are larger count as data."""
_SHEBANG = re.compile(rb"\A#!.*\b(python|sh|bash)")


def files(settings: Settings) -> Tree:
    """List the files below the given folder; if files are given, list only those."""
    if len(settings.paths) == 1 and settings.paths[0].is_dir():
        return discover(settings.root)
    files: set[str] = set()
    empty: set[str] = set()
    links: set[str] = set()
    for path in settings.paths:
        prefix = path.relative_to(settings.root).as_posix()
        if path.is_dir():
            tree = discover(path)
            files.update(_below(prefix, tree.files))
            empty.update(_below(prefix, tree.empty_folders))
            links.update(_below(prefix, tree.links))
        else:
            files.add(prefix)
    return Tree(tuple(sorted(files)), tuple(sorted(empty)), frozenset(links))


def _below(prefix: str, paths: Iterable[str]) -> list[str]:
    return list(paths) if prefix == "." else [f"{prefix}/{path}" for path in paths]


@dataclass(frozen=True)
class SourceFiles:
    """The files of a project that are looked at, each read once."""

    root: Path
    tree: Tree
    kinds: Mapping[str, str]
    """Their kinds by path: ``python``, ``notebook``, ``shell`` ..."""
    _contents: dict[str, bytes] = field(default_factory=dict, repr=False)
    _digests: dict[str, str] = field(default_factory=dict, repr=False)
    _states: dict[str, tuple[int, int, int]] = field(default_factory=dict, repr=False)

    @classmethod
    def find(cls, settings: Settings, tree: Tree) -> SourceFiles:
        """Decide which files of a tree are analysed, and the kind of each."""
        root = settings.root
        kinds = {path: kind_of(path, root) for path in considered(tree, settings)}
        return cls(root, tree, {path: kind for path, kind in kinds.items() if kind})

    def content(self, path: str) -> bytes:
        """The bytes of a file."""
        known = self._contents.get(path)
        if known is None:
            self._states[path] = self._state(path)
            known = self._contents[path] = read(self.root / path)
        return known

    def are_as_read(self) -> bool:
        """Whether no file was written since it was read here."""
        try:
            return all(
                self._state(path) == state and digest(read(self.root / path)) == self.digest(path)
                for path, state in self._states.items()
            )
        except UsageError:
            return False

    def _state(self, path: str) -> tuple[int, int, int]:
        """What tells that a file changed, unless two writes fall within the clock's resolution."""
        try:
            stat = (self.root / path).stat()
        except OSError:
            return (0, 0, 0)
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def digest(self, path: str) -> str:
        """A digest of a file's bytes; empty for a file that is not analysed."""
        if path not in self.kinds:
            return ""
        if path not in self._digests:
            self._digests[path] = digest(self.content(path))
        return self._digests[path]

    def is_data(self, path: str) -> bool:
        """Whether a file in a format for settings is too large for that."""
        return self.kinds[path] == "config" and (self.root / path).stat().st_size > _CONFIG_BYTES


def digest(content: bytes) -> str:
    """A digest of some bytes."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def considered(tree: Tree, settings: Settings) -> list[str]:
    """Files to look at: links, excluded and git-ignored files are copied as they are."""
    passed_over = tree.links | _ignored_by_git(tree.files, settings.root)
    return [
        path
        for path in tree.files
        if path not in passed_over
        and not any(_excluded(path, pattern) for pattern in settings.exclude)
    ]


def _excluded(path: str, pattern: str) -> bool:
    pattern = pattern.rstrip("/")
    parts = path.split("/")
    heads = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(
        fnmatch.fnmatch(head, pattern) or fnmatch.fnmatch(head.rpartition("/")[2], pattern)
        for head in heads
    )


def _ignored_by_git(files: Iterable[str], root: Path) -> frozenset[str]:
    """Files that a .gitignore of the project names, and that git does not have all the same."""
    specs = [
        path
        for path in files
        if path.rpartition("/")[2] == ".gitignore" and (root / path).is_file()
    ]
    if not specs:
        return frozenset()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only projects with such a file pay for it

    ignored: set[str] = set()
    for spec_path in specs:
        folder = spec_path.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        text = read(root / spec_path).decode("utf-8", "replace")
        spec = GitIgnoreSpec.from_lines(text.splitlines())
        ignored.update(
            path
            for path in files
            if path.startswith(prefix) and spec.match_file(path[len(prefix) :])
        )
    return frozenset(ignored - _tracked(root)) if ignored else frozenset()


def _tracked(root: Path) -> set[str]:
    """Files that git has, relative to the project; none where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed
    except FileNotFoundError:
        return set()
    return set(listed.stdout.decode("utf-8", "surrogateescape").split("\0"))


def kind_of(path: str, root: Path) -> str:
    """The kind of a file: python, notebook or a kind of text; empty for one that is only copied."""
    name = path.rpartition("/")[2]
    if name.endswith((".py", ".pyw")):
        return "python"
    if name.endswith(".ipynb"):
        return "notebook"
    for kind, patterns in _TEXT_NAMES:
        if any(fnmatch.fnmatch(name, item) or fnmatch.fnmatch(path, item) for item in patterns):
            return kind
    if "." not in name:
        match = _SHEBANG.match(read(root / path, 64))
        if match is not None:
            return "python" if match[1] == b"python" else "shell"
    return ""


def read(path: Path, size: int = -1) -> bytes:
    """The bytes of a file, or the first of them; one that cannot be read is a user's mistake."""
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "make it readable, or exclude it"
        ) from error
