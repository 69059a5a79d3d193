"""Survey a project before any rule runs: relevant files, frameworks, kind of distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.migrate import traits
from ascendify.migrate.discovery import considered, kind_of, read
from ascendify.migrate.settings import Settings
from ascendify.migrate.traits import Traits
from ascendify.rules import torch_target
from ascendify.rules.site import Facts
from ascendify.source.project import Project, Tree

EXTERNAL = frozenset(
    {"tensorflow", "keras", "horovod", "torch", "torch_npu", "apex", "npu_bridge", "hccl"}
)
"""Packages that a bare folder of the same name in the user's project does not shadow."""
_CONFIG_BYTES = 200_000
"""Larger files of these formats are data."""
_CONFIG_TOKENS = (b"cuda", b"nccl", b"gpu", b"nvidia", b"bf16", b"fp16")
"""A config file that mentions none of these, in small letters, concerns no rule."""


@dataclass
class Survey:
    """The files of the project, and those to be analysed."""

    root: Path
    tree: Tree
    traits: dict[str, Traits] = field(default_factory=dict)
    """The traits of each Python file and notebook."""
    python: list[str] = field(default_factory=list)
    """Every Python file, analysed or not: names are followed through all of them."""
    analysed: list[str] = field(default_factory=list)
    """Python files that may concern a rule."""
    notebooks: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """Launch scripts and the like, with their kind."""
    imported_by: dict[str, list[str]] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)

    @property
    def work(self) -> list[str]:
        """Everything to be analysed."""
        return [*self.analysed, *self.notebooks, *self.texts]

    def size(self, path: str) -> int:
        """Bytes of a Python file; 0 for every other."""
        return self.traits[path].size if path in self.traits else 0


def survey(settings: Settings, tree: Tree) -> Survey:
    """Look at every file once, without parsing any."""
    root = settings.root
    result = Survey(root, tree)
    looked_at = considered(tree, settings)
    launched: set[str] = set()
    configs: list[str] = []
    for path in looked_at:
        kind = kind_of(path, root)
        if kind == "python":
            result.python.append(path)
            result.traits[path] = traits.of_python(read(root / path))
        elif kind == "notebook":
            result.notebooks.append(path)
            result.traits[path] = traits.of_notebook(read(root / path))
        elif kind == "config":
            configs.append(path)
        elif kind:
            result.texts[path] = kind
            launched.update(traits.launched_files(path, read(root / path)))
    using = _frameworks(result.traits.values())
    if using["torch"]:
        result.texts.update(dict.fromkeys(_worth_reading(root, configs), "config"))
    _link(result)
    result.facts = _facts(settings, result, using, launched)
    if using["torch"]:
        target = _target(result, settings, looked_at)
        result.facts = replace(
            result.facts,
            torch=target.pinned,
            torch_npu=target.release.version,
            torch_npu_asked=bool(settings.torch_npu),
            target=f"{target.release.described}: {target.reason}",
        )
    return result


def _frameworks(files: Iterable[Traits]) -> dict[str, int]:
    """Count the files that train with each framework."""
    using = {"tensorflow": 0, "torch": 0}
    for file in files:
        for name in file.frameworks:
            using[name] += 1
    return using


def _facts(
    settings: Settings, result: Survey, using: Mapping[str, int], launched: set[str]
) -> Facts:
    """Return the facts about the whole project that rules use."""
    files = result.traits.values()
    horovod = any(file.horovod for file in files)
    strategy = any(file.strategy for file in files) and not any(file.hccl for file in files)
    entries = {
        path
        for path in result.analysed
        if path in launched
        or result.traits[path].starts
        or (result.traits[path].runs and path not in result.imported_by)
    }
    return Facts(
        distributed=_distributed(settings.distributed, horovod, strategy),
        entry_points=frozenset({str(settings.main)} if settings.main else entries),
        npu_options=dict(settings.npu),
        vendor_style=settings.vendor_style,
        frameworks=frozenset(name for name, count in using.items() if count)
        or frozenset({"tensorflow"}),
        framework="torch" if using["torch"] > using["tensorflow"] else "tensorflow",
        style=settings.style,
        fix_drift=settings.fix_drift,
        defined=frozenset(name for file in files for name in file.methods),
    )


def _distributed(requested: str, horovod: bool, strategy: bool) -> str:
    if requested != "auto":
        return requested
    if horovod:
        return "horovod"
    return "tf_strategy" if strategy else "none"


def _link(result: Survey) -> None:
    """Find which file imports which; files that import a relevant file are analysed as well."""
    relevant = {path for path in result.python if result.traits[path].relevant}
    if not relevant:
        return
    project = Project(result.root, result.python, external=EXTERNAL)
    for importer in result.python:
        for path in project.located(importer, result.traits[importer].imports):
            result.imported_by.setdefault(path, []).append(importer)
    second = {
        importer
        for path in relevant
        for importer in result.imported_by.get(path, ())
        if importer not in relevant
    }
    result.analysed = sorted(relevant | second)


def _target(result: Survey, settings: Settings, looked_at: Iterable[str]) -> torch_target.Target:
    """Return the release of torch_npu that the settings or the project's requirements name."""
    kinds = {path: kind for path, kind in result.texts.items() if kind != "config"}
    kinds.update({path: "project" for path in looked_at if torch_target.is_project_file(path)})
    texts = (
        (path, kind, read(result.root / path).decode("utf-8", "replace"))
        for path, kind in sorted(kinds.items())
    )
    return torch_target.choose(texts, settings.torch_npu, settings.torch_npu_said_in)


def _worth_reading(root: Path, configs: Iterable[str]) -> list[str]:
    """Return config files that may concern a rule; larger ones are data."""
    return [
        path
        for path in configs
        if (root / path).stat().st_size <= _CONFIG_BYTES
        and _mentions(
            read(root / path),
            (*_CONFIG_TOKENS, b"torch") if torch_target.is_project_file(path) else _CONFIG_TOKENS,
        )
    ]


def _mentions(content: bytes, tokens: Iterable[bytes]) -> bool:
    return any(token in content for token in tokens)
