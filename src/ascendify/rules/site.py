"""What a rule gets to see: the file, and the place in it that matched."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any, TypeVar, cast

from ascendify.catalog import signatures, types
from ascendify.catalog.knowledge import ADAPTER, COMPAT_ADAPTER
from ascendify.catalog.names import aliases
from ascendify.findings import Span
from ascendify.rules.arguments import Arguments
from ascendify.rules.fix import Fix
from ascendify.rules.helpers import HELPERS
from ascendify.source.command_lines import Script
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import receiver
from ascendify.source.scopes import FunctionNode, parent, scope_of, statement

_Answer = TypeVar("_Answer")
_BROKEN_CHAIN = re.compile(r"\s*\\?\s*\n\s*\.")
"""The end of a line whose attribute follows on the next line."""
_BRIEF_READ = 20_000
"""How many characters of an expression are read to show its beginning."""


@dataclass(frozen=True)
class Facts:
    """Facts about the whole project, known before any file is analysed."""

    distributed: str = "none"
    """How training is distributed: ``horovod``, ``tf_strategy`` or ``none``."""
    add_distribution: bool = False
    """Whether training on one device is to become training on several (``--distributed add``)."""
    entry_points: frozenset[str] = frozenset()
    """Files that are run: scripts with a main guard, an app runner, or named by a launcher."""
    npu_options: Mapping[str, object] = field(default_factory=dict)
    """NPU options that the user requested."""
    switches: bool = False
    """Whether the options module is written even without an option, so that a launch script can
    switch options on later."""
    vendor_style: bool = False
    frameworks: frozenset[str] = frozenset({"tensorflow"})
    """Frameworks that the project trains with: ``tensorflow`` (which is TensorFlow 1),
    ``tensorflow2``, ``torch``."""
    framework: str = "tensorflow"
    """The framework that most of the project trains with; for files that mention none."""
    releases: Mapping[str, str] = field(default_factory=dict)
    """Path of a file that uses TensorFlow -> its release, ``tf1`` or ``tf2``; ``tf1`` without."""
    graphs: frozenset[str] = frozenset()
    """Files for TensorFlow 2 with graphs and sessions of ``compat.v1``: rules of both releases
    apply."""
    keras: str = ""
    """The release of the keras package that the project pins or trains with, where that is ``2.2``
    or ``2.3``; empty for others, and where it is not known."""
    style: str = "explicit"
    """PyTorch: ``explicit`` rewrites every call, ``transfer`` lets torch_npu's switch do it."""
    transfer: frozenset[str] = frozenset()
    """PyTorch: scripts that import that switch for the libraries they use, though every call of
    the project is rewritten."""
    dynamic_rnn: bool = False
    """TensorFlow 1: compute LSTM layers with the NPU's DynamicRNN."""
    fix_drift: bool = False
    """For PyTorch: also mend what newer releases of the libraries removed."""
    tune: bool = False
    """For PyTorch: also rewrite what trains the same numbers faster on an NPU."""
    torch: str = ""
    """The release of PyTorch that the project pins (``2.1``), empty where it pins none."""
    torch_npu: str = ""
    """The release of torch_npu to migrate for, empty for the newest for the pinned PyTorch."""
    torch_npu_of: Mapping[str, str] = field(default_factory=dict)
    """Folder that is a project of its own -> the release of torch_npu to migrate it for."""
    torch_npu_requested: bool = False
    """Whether the user named that release; else it follows from the project's files."""
    target: str = ""
    """The releases of the frameworks to migrate for and why, and unit tests that are left alone, in
    words; empty without any."""
    defined: frozenset[str] = frozenset()
    """Names of torch's device methods (``cuda``) that functions of the project have too."""

    def of(self, path: str) -> Facts:
        """The facts about the project that a file belongs to, where folders are projects."""
        for folder in PurePosixPath(path).parents if self.torch_npu_of else ():
            if str(folder) in self.torch_npu_of:
                return replace(self, torch_npu=self.torch_npu_of[str(folder)])
        return self

    @property
    def has_options_module(self) -> bool:
        """Whether the migrated project has a module with NPU options."""
        return self.switches or bool(self.npu_options)

    @property
    def switched(self) -> bool:
        """PyTorch: whether programs of the project import transfer_to_npu, all or some."""
        return self.style == "transfer" or bool(self.transfer)

    @property
    def platform(self) -> str:
        """``tensorflow`` (either release) or ``torch``: the key of facts about packages."""
        return platform_of(self.framework)


@dataclass(frozen=True)
class Location:
    """A range in a file, for a finding."""

    path: str
    span: Span


class File:
    """One Python file under analysis, with everything a rule may want to know about it."""

    def __init__(self, module: Module, resolver: Resolver, facts: Facts) -> None:
        self.module = module
        self.resolver = resolver
        self.facts = facts.of(module.path)
        # not as sites, which hold the file: such circles stay until the garbage collector comes
        self._called: dict[tuple[str, ...], list[tuple[ast.Call, str]]] = {}
        self._answers: dict[object, object] = {}

    @property
    def path(self) -> str:
        """POSIX path relative to the project root."""
        return self.module.path

    @property
    def stem(self) -> str:
        """The file's name without its suffix."""
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def is_entry(self) -> bool:
        """Whether this file is run rather than imported."""
        return self.path in self.facts.entry_points

    @cached_property
    def migrated(self) -> bool:
        """Whether the file already uses the NPU API."""
        return any(
            root in ("npu_bridge", "npu_device", "hccl", "npu_options", "torch_npu", *HELPERS)
            for root in self.module.index.import_roots
        )

    @cached_property
    def frameworks(self) -> tuple[str, ...]:
        """What the file trains with; where its imports do not tell, what the project does.

        A file of settings that takes a helper from one framework may serve files of the other.
        """
        found = _frameworks_of(self.module, self.facts)
        if found and self.facts.framework not in found:
            for importer in self.resolver.project.importers(self.path):
                found |= _frameworks_of(importer, self.facts)
        return tuple(sorted(found)) or (self.facts.framework,)

    @property
    def framework(self) -> str:
        """The framework whose rules report what all programs have, such as variables."""
        return (
            self.facts.framework if self.facts.framework in self.frameworks else self.frameworks[0]
        )

    @property
    def platform(self) -> str:
        """``tensorflow`` (either release) or ``torch``: the key of facts about packages."""
        return platform_of(self.framework)

    def names(self, node: ast.expr) -> tuple[tuple[str, ...], bool]:
        """Dotted names an expression may refer to; and whether that is all it may be."""
        return self.resolver.names(self.module, node)

    def name(self, node: ast.expr) -> str | None:
        """The one dotted name an expression surely refers to."""
        names, certain = self.names(node)
        return names[0] if certain and len(names) == 1 else None

    def kind(self, node: ast.expr) -> str | None:
        """The one class an expression surely is an instance of."""
        kinds, certain = self.resolver.kinds(self.module, node)
        return kinds[0] if certain and len(kinds) == 1 else None

    def is_a(self, node: ast.expr, base: str) -> bool | None:
        """True: surely an instance; False: surely not; None: it may be."""
        kinds, certain = self.resolver.kinds(self.module, node)
        matches = [types.is_a(kind, base) for kind in kinds]
        if certain and matches and all(matches):
            return True
        if certain and matches and not any(matches):
            return False
        return None

    def literal(self, node: ast.expr) -> tuple[object, ...] | None:
        """The literal values an expression may have, None when it may be something else."""
        return self.resolver.literal(self.module, node)

    def text(self, node: ast.AST) -> str:
        """The source text of a node."""
        return self.module.segment(node)

    def brief(self, node: ast.AST, limit: int = 60) -> str:
        """A node's text on one line, cut to a readable length."""
        start, end = self.module.start(node), self.module.end(node)
        text = self.module.source.text[start : min(end, start + _BRIEF_READ)]
        if "#" in text and "\n" in text and end - start <= _BRIEF_READ:
            text = ast.unparse(node)  # on one line a comment would hide the rest
        # of a very long expression no more is read than can be shown
        shown = _on_one_line(text[: 10 * limit])
        if len(text) > 10 * limit and len(shown) <= limit:
            shown = _on_one_line(text)
        return shown if len(shown) <= limit else shown[: limit - 3] + "..."

    def of(self, module: Module) -> File:
        """The :class:`File` of another module of the project, of which all may be looked at."""
        module.look()
        return self if module is self.module else File(module, self.resolver, self.facts)

    def quoted(self, text: str, like: ast.expr) -> str:
        """A text as a string literal, with the quotes of a given one."""
        quote = '"' if '"' in self.text(like)[:3] else "'"
        return f"{quote}{text}{quote}"

    def fix(self) -> Fix:
        """A new, empty fix for this file."""
        in_tf2 = self.facts.releases.get(self.path) == "tf2"
        return Fix(self.module, self.facts.vendor_style, COMPAT_ADAPTER if in_tf2 else ADAPTER)

    def calls(self, *names: str) -> Iterator[CallSite]:
        """Every call in this file that certainly calls one of these names (``name.*``: anything
        below).
        """
        known = self._called.get(names)
        if known is None:
            known = self._called[names] = self._find_calls(names)
        return (CallSite(self, call, name) for call, name in known)

    def once(self, compute: Callable[[File], _Answer]) -> _Answer:
        """The result of a function for the whole file, computed once for all findings."""
        if compute not in self._answers:
            self._answers[compute] = compute(self)
        return cast("_Answer", self._answers[compute])

    def _find_calls(self, names: tuple[str, ...]) -> list[tuple[ast.Call, str]]:
        names = self._of_releases(names)
        if not self._may_mention(names):
            return []
        found = [
            (call, name)
            for name in _matching(self._named_calls, names)
            for call in self._named_calls[name]
        ]
        for last in {name.rpartition(".")[2] for name in names}:
            for call in self.module.index.calls_by_name.get(last, ()):
                if isinstance(call.func, ast.Attribute) and self._spelled(call.func) is None:
                    name = self.name(call.func)
                    if name is not None and _matches(name, names):
                        found.append((call, name))
        return sorted(found, key=lambda item: (item[0].lineno, item[0].col_offset))

    def _of_releases(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names that releases of TensorFlow in the project have.

        Rules for both releases name both; tables of the other one are not worth loading.
        """
        if "tensorflow2" in self.facts.frameworks:
            return names
        return tuple(name for name in names if not name.startswith("tf2."))

    def _may_mention(self, names: tuple[str, ...]) -> bool:
        """Whether the text contains one of some names, by whichever import."""
        return not _all_endings(names).isdisjoint(self.module.words)

    def references(self, *names: str) -> Iterator[Site]:
        """Every use in this file that certainly refers to one of these names.

        Reading a variable that holds one of them does not count.
        """
        names = self._of_releases(names)
        if not self._may_mention(names):
            return
        mentions = self._mentions
        found = [(node, name) for name in _matching(mentions, names) for node in mentions[name]]
        lasts = {name.rpartition(".")[2] for name in names}
        for member in self._members:
            if member.attr in lasts:
                name = self.name(member)
                if name is not None and _matches(name, names):
                    found.append((member, name))
        for node, name in sorted(found, key=lambda item: (item[0].lineno, item[0].col_offset)):
            yield Site(self, node, name)

    def _spelled(self, node: ast.expr) -> str | None:
        return self.resolver.spelled(self.module, node)

    @cached_property
    def _named_calls(self) -> dict[str, list[ast.Call]]:
        """Name -> the calls of it, imported or through a variable that holds it."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.module.index.calls:
            name = self._spelled(call.func)
            if name is None and isinstance(call.func, ast.Name) and self._may_hold(call.func):
                name = self.name(call.func)
            if name is not None:
                found.setdefault(name, []).append(call)
        return found

    def _may_hold(self, node: ast.Name) -> bool:
        """Whether a name that is called may be more than a function or class of the project."""
        scope = scope_of(node).find(node.id)
        if scope is not None and all(
            binding.kind in ("def", "class") for binding in scope.bindings[node.id]
        ):
            return False
        return self.resolver.leads_outside(self.module, node)

    @cached_property
    def _mentions(self) -> dict[str, list[ast.expr]]:
        """Name -> the places where it is read under its imported name."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.module.index.references:
            name = self._spelled(node)
            if name is not None:
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def _members(self) -> list[ast.Attribute]:
        """Attributes that are read from something other than an import."""
        return [
            node
            for node in self.module.index.references
            if isinstance(node, ast.Attribute) and self._spelled(node) is None
        ]

    @property
    def span(self) -> Span:
        """Where findings about the whole file are shown: its first line."""
        return Span()

    def at(self, node: ast.AST | None) -> Location:
        """A place for a finding; None means the whole file."""
        if node is None:
            return Location(self.path, self.span)
        source = self.module.source
        start = source.position(self.module.start(node))
        return Location(self.path, Span(*start, *source.position(self.module.end(node))))


_PACKAGES = {
    **dict.fromkeys(
        ("tensorflow", "tensorflow_core", "keras", "tf_slim", "npu_bridge", "npu_device", "hccl"),
        "tensorflow",
    ),
    **dict.fromkeys(
        ("torch", "torch_npu", "torchvision", "torchaudio", "torchtext", "pytorch_lightning",
         "lightning", "accelerate", "transformers", "deepspeed", "apex", "timm", "mmcv",
         "mmengine", "fairseq", "detectron2"),
        "torch",
    ),
}  # fmt: skip
"""Packages whose import tells the framework a file trains with."""


def platform_of(framework: str) -> str:
    """``tensorflow`` for TensorFlow 2 as well, or ``torch``."""
    return "torch" if framework == "torch" else "tensorflow"


def _frameworks_of(module: Module, facts: Facts) -> set[str]:
    """Which of the project's frameworks a file trains with, judged by its imports."""
    found = {_PACKAGES[root] for root in module.index.import_roots if root in _PACKAGES}
    if "tensorflow" in found and facts.releases.get(module.path) == "tf2":
        in_graphs = module.path in facts.graphs
        found = {*found, "tensorflow2"} if in_graphs else {*found - {"tensorflow"}, "tensorflow2"}
    return found & facts.frameworks


def _on_one_line(text: str) -> str:
    return " ".join(_BROKEN_CHAIN.sub(".", text).split())


def _matching(known: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """The known names that the patterns cover."""
    wanted = set(patterns)
    below = tuple(pattern[:-1] for pattern in patterns if pattern.endswith(".*"))
    return [name for name in known if name in wanted or (below and name.startswith(below))]


@cache
def _endings(name: str) -> frozenset[str]:
    """Last components of every public spelling of a name; below ``name.*``, of the module."""
    name = name[:-2] if name.endswith(".*") else name
    return frozenset(item.rpartition(".")[2] for item in (name, *aliases(name)))


@cache
def _all_endings(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(ending for name in names for ending in _endings(name))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(
        name == pattern or (pattern.endswith(".*") and name.startswith(pattern[:-1]))
        for pattern in patterns
    )


@dataclass(frozen=True)
class Site:
    """A place in a file where a rule fired."""

    file: File
    node: Any
    """The syntax tree node."""
    name: str
    """The canonical dotted name that matched."""
    certain: bool = True

    @property
    def parent(self) -> ast.AST:
        """The node around it."""
        return parent(self.node)

    @property
    def statement(self) -> ast.stmt:
        """The statement it belongs to."""
        return statement(self.node)

    @property
    def text(self) -> str:
        """The source text."""
        return self.file.text(self.node)

    @property
    def brief(self) -> str:
        """The user's text on one line, cut to a readable length."""
        return self.file.brief(self.node)

    def fix(self) -> Fix:
        """A new, empty fix."""
        return self.file.fix()

    @property
    def path(self) -> str:
        """The file's POSIX path relative to the project root."""
        return self.file.path

    @property
    def span(self) -> Span:
        """The node's range, where its findings are shown."""
        return self.file.at(self.node).span

    def at(self, node: ast.AST) -> Location:
        """Another node of the file as the place for a finding."""
        return self.file.at(node)


@dataclass(frozen=True)
class CallSite(Site):
    """A call."""

    @cached_property
    def args(self) -> Arguments:
        """The arguments, bound to the signature of the called function."""
        return Arguments.bind(self.node, signatures.signature(self.name))

    @property
    def callee(self) -> str:
        """The called function as the user writes it."""
        return self.file.brief(self.node.func)

    @property
    def receiver(self) -> ast.expr | None:
        """The object that the method is called on."""
        return receiver(self.node)


@dataclass(frozen=True)
class MethodSite(Site):
    """An attribute that may belong to an object of the framework; ``name`` is its last part."""

    known: str | None = None
    """The canonical name of the attribute where inference is sure of its object."""

    @property
    def call(self) -> ast.Call | None:
        """The call of the attribute, None where it is only mentioned."""
        around = self.parent
        return around if isinstance(around, ast.Call) and around.func is self.node else None


@dataclass(frozen=True)
class ImportSite(Site):
    """An import statement; ``name`` is the dotted origin that matched."""

    alias: ast.alias = field(default_factory=lambda: ast.alias(name=""))


@dataclass(frozen=True)
class FunctionSite:
    """A function definition or lambda."""

    file: File
    node: FunctionNode


@dataclass(frozen=True)
class TextSite:
    """A file that is not Python: a launch script, a requirements file."""

    path: str
    kind: str
    """shell, requirements, docker, make, yaml (of packages), config (whatever a program reads)."""
    text: str
    facts: Facts
    script: Script | None = None
    """For commands inside another file: where they stand in it."""

    @property
    def runs(self) -> bool:
        """Whether a shell executes the lines; else they only set variables of a process."""
        return self.script is None or self.script.runs

    @property
    def whole_text(self) -> str:
        """The text of the whole file, where anything in it may be read."""
        return self.text if self.script is None else self.script.file

    def at(self, start: int, end: int) -> Location:
        """A range of the text as the place for a finding."""
        if self.script is not None:
            start, end = self.script.place(start), self.script.place(end, end=True)
        return Location(self.path, Span(*self._position(start), *self._position(end)))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        text = self.whole_text
        return [0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1])]
