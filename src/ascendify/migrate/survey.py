"""Survey a project before any rule runs: relevant files, frameworks, kind of distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.catalog import libraries
from ascendify.catalog.options import Value
from ascendify.migrate import tensorflow_pins, tensorflow_release, traits
from ascendify.migrate.discovery import SourceFiles
from ascendify.migrate.known_files import KnownFiles
from ascendify.migrate.settings import Settings
from ascendify.migrate.tensorflow_release import Releases
from ascendify.migrate.traits import Traits
from ascendify.rules import torch_target
from ascendify.rules.site import Facts
from ascendify.source.module import CallNames
from ascendify.source.project import Project, Tree
from ascendify.source.test_files import is_test_file

EXTERNAL = frozenset(
    {
        "tensorflow",
        "keras",
        "horovod",
        "torch",
        "torch_npu",
        "apex",
        "npu_bridge",
        "npu_device",
        "hccl",
    }
)
"""Packages that are meant even if the user's project has a folder of the same name without code."""
_REQUESTED = {"tf1": ("tensorflow",), "tf2": ("tensorflow",), "torch": ("torch",)}
"""What ``--framework`` leaves."""
_CONFIG_TOKENS = (
    b"cuda", b"nccl", b"gpu", b"nvidia", b"bf16", b"fp16", b"nsys", b"whl/cu",
    b"torch.distributed.launch",
    *sorted({word.encode() for item in libraries.settings() for word in item.words}),
)  # fmt: skip
"""A configuration file without any of these words, in lower case, concerns no rule for PyTorch."""
_GARDEN_TOKENS = (b"distribution_strategy",)
"""Words in a configuration file that concern a rule for TensorFlow."""


@dataclass
class Survey:
    """The files of the project, and those to be analysed."""

    root: Path
    tree: Tree
    traits: dict[str, Traits] = field(default_factory=dict)
    """The traits of each Python file and notebook."""
    python: list[str] = field(default_factory=list)
    """All Python files, analysed or not, because names are followed through all of them."""
    analysed: list[str] = field(default_factory=list)
    """Python files that may concern a rule."""
    notebooks: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    """Files of unit tests that are left alone."""
    texts: dict[str, str] = field(default_factory=dict)
    """Launch scripts and the like, with their kind."""
    imported_by: dict[str, list[str]] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    known_calls: Mapping[str, CallNames] = field(default_factory=dict)
    """The names that files call, for those in which an earlier run searched calls."""

    @property
    def work(self) -> list[str]:
        """Everything to be analysed."""
        return [*self.analysed, *self.notebooks, *self.texts]

    def project(self) -> Project:
        """The Python files as a project, with what the survey knows of them."""
        return Project(
            self.root,
            self.python,
            external=EXTERNAL,
            imported_by=self.imported_by,
            relevant=frozenset(self.analysed),
            known_calls=self.known_calls,
        )

    def size(self, path: str) -> int:
        """Bytes of a Python file; 0 for every other."""
        return self.traits[path].size if path in self.traits else 0


def survey(
    settings: Settings,
    tree: Tree,
    sources: SourceFiles | None = None,
    known: KnownFiles | None = None,
) -> Survey:
    """Look at every file once without parsing it; skip files whose facts are stored."""
    sources = sources or SourceFiles.find(settings, tree)
    known = known or KnownFiles()
    result = Survey(settings.root, tree, known_calls=known.calls)
    launched: set[str] = set()
    for path, kind in sources.kinds.items():
        if kind == "python":
            result.python.append(path)
            result.traits[path] = known.traits.get(path) or traits.of_python(sources.content(path))
            if _is_left_alone(settings, path, sources):
                result.tests.append(path)
        elif kind == "notebook":
            result.notebooks.append(path)
            result.traits[path] = traits.of_notebook(sources.content(path))
        elif kind != "config":
            result.texts[path] = kind
            launched.update(traits.launched_files(path, sources.content(path)))
    using = _frameworks(result.traits.values())
    requested = _REQUESTED.get(settings.framework, ())
    if requested:
        using = {name: max(count, 1) if name in requested else 0 for name, count in using.items()}
    elif _is_helper(using, result.traits.values()):
        using["tensorflow"] = 0
    for path in _relevant_configs(sources, using):
        result.texts[path] = "config"
    _link(result)
    releases = _releases(settings, result, sources) if using["tensorflow"] else Releases()
    result.facts = _facts(settings, result, using, releases, launched)
    if using["tensorflow"]:
        keras = tensorflow_pins.keras_release(_package_texts(result, sources), settings.keras)
        result.facts = replace(result.facts, keras=keras)
    left = _left_alone(result)
    if left:
        result.facts = replace(result.facts, target=_sentences(result.facts.target, left))
    if using["torch"]:
        target = _target(result, settings, sources)
        result.facts = replace(
            result.facts,
            torch=target.pinned,
            torch_npu=target.release.version,
            torch_npu_of={folder: own.release.version for folder, own in target.folders.items()},
            torch_npu_requested=bool(settings.torch_npu),
            target=_sentences(result.facts.target, target.described),
        )
    return result


def _is_left_alone(settings: Settings, path: str, sources: SourceFiles) -> bool:
    """Whether a file holds unit tests that the user neither names nor includes."""
    if settings.include_tests or settings.root / path in settings.paths:
        return False
    return is_test_file(path, sources.content(path).decode("utf-8", errors="replace"))


def _left_alone(result: Survey) -> str:
    """Return a sentence about unit tests that would concern a rule; empty without any."""
    count = sum(result.traits[path].relevant for path in result.tests)
    if not count:
        return ""
    files = "1 file of unit tests is" if count == 1 else f"{count} files of unit tests are"
    return f"{files} left alone; --include-tests migrates them"


def _sentences(*texts: str) -> str:
    return ". ".join(filter(None, texts))


def _frameworks(files: Iterable[Traits]) -> dict[str, int]:
    """Count the files that train with each framework."""
    using = {"tensorflow": 0, "torch": 0}
    for file in files:
        for name in file.frameworks:
            using[name] += 1
    return using


def _is_helper(using: Mapping[str, int], files: Iterable[Traits]) -> bool:
    """Whether a PyTorch project has TensorFlow only to read data or to compute metrics."""
    return using["torch"] >= using["tensorflow"] > 0 and not any(
        file.tensorflow is not None and file.tensorflow.trains for file in files
    )


def _releases(settings: Settings, result: Survey, sources: SourceFiles) -> Releases:
    """Return the release of TensorFlow of each file that uses it."""
    evidence = {
        path: file.tensorflow for path, file in result.traits.items() if file.tensorflow is not None
    }
    requested = settings.framework if settings.framework in ("tf1", "tf2") else ""
    pins = () if requested else tensorflow_pins.pins(_package_texts(result, sources))
    found = tensorflow_release.decide(
        evidence, pins, requested, settings.framework_said_in, result.imported_by
    )
    return replace(found, graphs=_in_sessions(result, found.graphs))


def _in_sessions(result: Survey, graphs: frozenset[str]) -> frozenset[str]:
    """Of files with names of compat.v1, those that run in sessions as far as is known.

    A module with such names that only eager programs import belongs to eager programs. What
    nobody imports is judged by itself.
    """

    def runs_in_session(path: str) -> bool:
        pending, seen = [path], {path}
        while pending:
            current = pending.pop()
            evidence = result.traits[current].tensorflow
            if evidence is not None and evidence.sessions:
                return True
            new = [item for item in result.imported_by.get(current, ()) if item not in seen]
            seen.update(new)
            pending.extend(new)
        return len(seen) == 1

    return frozenset(path for path in graphs if runs_in_session(path))


def _facts(
    settings: Settings,
    result: Survey,
    using: Mapping[str, int],
    releases: Releases,
    launched: set[str],
) -> Facts:
    """Return the facts about the whole project that rules use."""
    of_release = {"tf1": "tensorflow", "tf2": "tensorflow2"}
    tensorflow = of_release[releases.main]
    frameworks = {"torch"} if using["torch"] else set()
    if using["tensorflow"]:
        frameworks.update({tensorflow, *map(of_release.__getitem__, releases.files.values())})
    if releases.graphs:
        frameworks.add("tensorflow")
    files = result.traits.values()
    horovod = any(file.horovod for file in files)
    strategy = any(
        file.strategy and (file.relevant or path in result.analysed)
        for path, file in result.traits.items()
    ) and not any(file.hccl for file in files)
    entries = {
        path
        for path in result.analysed
        if path in launched
        or result.traits[path].starts
        or (result.traits[path].runs and path not in result.imported_by)
    }
    return Facts(
        distributed=_distributed(settings.distributed, horovod, strategy),
        add_distribution=settings.distributed == "add",
        entry_points=frozenset({str(settings.main)} if settings.main else entries),
        npu_options={**_needed_options(result, releases), **settings.npu},
        switches=settings.switches,
        vendor_style=settings.vendor_style,
        frameworks=frozenset(frameworks) or frozenset({"tensorflow"}),
        framework="torch" if using["torch"] > using["tensorflow"] else tensorflow,
        releases=releases.files,
        graphs=releases.graphs,
        target=releases.described if releases.files else "",
        style=settings.style,
        transfer=frozenset(settings.transfer),
        dynamic_rnn=settings.dynamic_rnn,
        fix_drift=settings.fix_drift,
        tune=settings.tune,
        defined=frozenset(name for file in files for name in file.methods),
    )


def _needed_options(result: Survey, releases: Releases) -> dict[str, Value]:
    """Return NPU options without which what rules write does not run on a device.

    CTC decodes on the host, beside a network on the device: mixed computing.
    """
    mixed = any(
        file.ctc and releases.files.get(path) == "tf1" for path, file in result.traits.items()
    )
    return {"mix_compile_mode": True} if mixed else {}


def _distributed(requested: str, horovod: bool, strategy: bool) -> str:
    if requested not in ("auto", "add"):
        return requested
    if horovod:
        return "horovod"
    return "tf_strategy" if strategy or requested == "add" else "none"


def _link(result: Survey) -> None:
    """Find which file imports which; files that import a relevant file are analysed as well."""
    relevant = {path for path in result.python if result.traits[path].relevant}
    if not relevant:
        return
    project = Project(result.root, result.python, external=EXTERNAL)
    for importer in result.python:
        for path in project.imported_files(importer, result.traits[importer].imports):
            result.imported_by.setdefault(path, []).append(importer)
    second = {
        importer
        for path in relevant
        for importer in result.imported_by.get(path, ())
        if importer not in relevant
    }
    programs = _programs_with_tensorflow(result)
    result.analysed = sorted((relevant | second | programs).difference(result.tests))


def _programs_with_tensorflow(result: Survey) -> set[str]:
    """Return programs that reach TensorFlow through modules of the project, however many.

    A script that trains a model of the project's own library need not import TensorFlow.
    """
    pending = [path for path, file in result.traits.items() if file.tensorflow is not None]
    seen = set(pending)
    while pending:
        new = [item for item in result.imported_by.get(pending.pop(), ()) if item not in seen]
        seen.update(new)
        pending.extend(new)
    return {path for path in seen if path in result.traits and result.traits[path].starts}


def _target(result: Survey, settings: Settings, sources: SourceFiles) -> torch_target.Target:
    """Return the release of torch_npu that the settings or the project's requirements name."""
    texts = _package_texts(result, sources)
    return torch_target.choose(texts, settings.torch_npu, settings.torch_npu_said_in, result.python)


def _package_texts(result: Survey, sources: SourceFiles) -> Iterator[tuple[str, str, str]]:
    """Yield files that may say which packages a project needs: path, kind and text."""
    kinds = {path: kind for path, kind in result.texts.items() if kind != "config"}
    kinds.update({path: "project" for path in sources.kinds if torch_target.is_project_file(path)})
    for path, kind in sorted(kinds.items()):
        yield path, kind, sources.content(path).decode("utf-8", "replace")


def _relevant_configs(sources: SourceFiles, using: Mapping[str, int]) -> list[str]:
    """Return config files that may concern a rule; larger ones are data."""
    general = (
        *(_CONFIG_TOKENS if using["torch"] else ()),
        *(_GARDEN_TOKENS if using["tensorflow"] else ()),
    )
    project = (*general, b"torch") if using["torch"] else general
    return [
        path
        for path, kind in sources.kinds.items()
        if kind == "config"
        and not sources.is_data(path)
        and _mentions(
            sources.content(path), project if torch_target.is_project_file(path) else general
        )
    ]


def _mentions(content: bytes, tokens: Iterable[bytes]) -> bool:
    small = content.lower()
    return any(token in small for token in tokens)
