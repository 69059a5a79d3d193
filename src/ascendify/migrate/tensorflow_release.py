"""Which TensorFlow is this? The release that each file and the whole project is written for.

A file tells by names that only one release has. Files that do not tell are for the release that the
nearest folder around them tells of: by the requirements in it, else by its other files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Optional

from ascendify.catalog import native_keras
from ascendify.catalog.tensorflow_releases import TF1, TF2, WORDS, only_in
from ascendify.rules.shell import _requirements

_NOISE = re.compile(rb'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|#[^\n]*', re.S)
"""Documentation and comments, which may speak of another release."""
_ROOTS = rb"(?:tensorflow(?:_addons)?|keras|npu_bridge|npu_device)\b"
_IMPORT = re.compile(rb"^[ \t]*import[ \t]+(%s[^\n;#]*)" % _ROOTS, re.M)
_FROM = re.compile(
    rb"^[ \t]*from[ \t]+(%s[\w.]*)[ \t]+import\b"
    rb"[ \t]*(\([^)]*\)|(?:[^\n;#\\]|\\\r?\n)*)" % _ROOTS,
    re.M,
)
_USED = rb"(?<![\w.])%s((?:\.[A-Za-z_]\w*)+)"
_PACKAGES = {
    "tensorflow_addons": TF2,
    "npu_device": TF2,
    "npu_bridge": TF1,
}
"""Packages that are there for one release only."""
_MODERN = frozenset({"function", "GradientTape", "keras"})
"""Names that both releases have and that programs for TensorFlow 2 are full of."""
_GRAPH = re.compile(
    r"compat\.v1\.(?:disable_\w+|Session|InteractiveSession|placeholder|get_variable|global_var\w+"
    r"|estimator|layers|train\.\w*(?:Optimizer|Session|Saver))\b"
)
"""Names of compat.v1 that programs with graphs and sessions use."""
_TRAINS = re.compile(
    rb"\.(?:minimize|apply_gradients|compute_gradients|train_and_evaluate|fit_generator"
    rb"|train_on_batch)\(|\blearning\.train\(|\bGradientTape\b|Estimator\(|\.\w+Optimizer\("
)
_SESSIONS = re.compile(
    rb"\bdisable_(?:v2_behavior|eager_execution)\b|\b(?:Interactive|Monitored\w*)?Session\("
    rb"|\bEstimator(?:Spec)?\(|\btrain_and_evaluate\("
)
_FITS = re.compile(rb"\.fit\(")


@dataclass(frozen=True)
class Evidence:
    """What one file says about its TensorFlow."""

    only: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Release -> names the file uses that only this release has."""
    modern: str = ""
    """A name that both have and that rather suits TensorFlow 2."""
    compat: str = ""
    """The import of ``tensorflow.compat.v1`` that takes the place of ``tensorflow``."""
    graph: bool = False
    """Whether it uses graphs and sessions of ``compat.v1``."""
    trains: bool = False
    """Whether it computes gradients or fits a model, rather than reading data or metrics."""

    @property
    def release(self) -> str:
        """The release that most names tell of, empty where none or as many tell of each."""
        counts = sorted(((len(names), release) for release, names in self.only), reverse=True)
        if not counts or (len(counts) > 1 and counts[0][0] == counts[1][0]):
            return ""
        return counts[0][1]

    @property
    def reason(self) -> str:
        """The names that tell of it."""
        names = sorted(dict(self.only).get(self.release, ()), key=lambda name: (len(name), name))
        return " and ".join(names[:2])


def has_sessions(content: bytes) -> bool:
    """Whether a file runs sessions or Estimators, or switches eager execution off."""
    return _SESSIONS.search(content) is not None


def read(content: bytes) -> Evidence | None:
    """What a file says about its TensorFlow, None when it uses none."""
    if b"tensorflow" not in content and b"keras" not in content and b"npu_" not in content:
        return None
    plain = _NOISE.sub(b"", content)
    imported = _Imports(plain)
    if not imported.found:
        return None
    names = {*imported.names, *imported.used(plain)}
    only: dict[str, set[str]] = {}
    for name in names:
        release, shown = _told_by(name)
        if release:
            only.setdefault(release, set()).add(shown)
    modern = sorted(name for name in names if name.partition(".")[0] in _MODERN)
    fits = _FITS.search(plain) is not None and b"keras" in plain
    return Evidence(
        only=tuple((release, tuple(sorted(shown))) for release, shown in sorted(only.items())),
        modern=f"tf.{modern[0]}" if modern else "",
        compat=imported.compat,
        graph=bool(imported.compat) or any(_GRAPH.match(name) for name in names),
        trains=fits or _TRAINS.search(plain) is not None,
    )


def _told_by(name: str) -> tuple[str, str]:
    """The release that a name tells of, and the name as people write it."""
    root = name.partition(".")[0].lstrip("@")
    if name.startswith("@"):
        if root == "keras":
            return (TF2 if native_keras.is_keras_3(name[1:]) else ""), name[1:]
        return _PACKAGES.get(root, ""), root
    return only_in(name), f"tf.{name}"


class _Imports:
    """The imports of TensorFlow in a file.

    Names are those below ``tensorflow``; those of other packages have an ``@`` before them.
    """

    def __init__(self, text: bytes) -> None:
        self.found = False
        self.names: set[str] = set()
        self.compat = ""
        self._aliases: dict[str, set[str]] = {}
        """What the file calls a module -> the modules it may be, as paths below tensorflow."""
        for match in _IMPORT.finditer(text):
            for item in match[1].decode("utf-8", "replace").split(","):
                self._import(item.split())
        for match in _FROM.finditer(text):
            self._from(match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"))

    def _import(self, words: list[str]) -> None:
        if not words:
            return
        module, alias = words[0], words[2] if len(words) > 2 else ""
        path = self._path(module)
        if path is None:
            return
        if path:
            self.names.add(path)
        if path == "compat.v1" and alias:
            self.compat = f"import {module} as {alias}"
        bound = alias or module.partition(".")[0]
        self._aliases.setdefault(bound, set()).add(path if alias else self._path(bound) or "")

    def _from(self, module: str, names: str) -> None:
        path = self._path(module)
        if path is None:
            return
        for item in re.sub(r"[()\\]", " ", re.sub(r"#[^\n]*", "", names)).split(","):
            words = item.split()
            if not words:
                continue
            whole = f"{path}.{words[0]}".lstrip(".")
            bound = words[-1]
            self.names.add(whole)
            self._aliases.setdefault(bound, set()).add(whole)
            if whole == "compat.v1":
                self.compat = f"from {module} import {item.strip()}"

    def _path(self, module: str) -> str | None:
        """A module as a path below tensorflow; None for a package that is none of these."""
        root, _, rest = module.partition(".")
        if root == "tensorflow":
            self.found = True
            return rest
        if root in ("keras", *_PACKAGES):
            self.found = True
            return f"@{module}"
        return None

    def used(self, text: bytes) -> Iterator[str]:
        """What the file uses through the modules it imported."""
        for alias, paths in self._aliases.items():
            if len(paths) > 1 and "compat.v1" in paths:
                continue  # it stands for compat.v1 wherever there is one
            pattern = re.compile(_USED % re.escape(alias).encode())
            for found in {match[1] for match in pattern.finditer(text)}:
                for path in paths:
                    yield f"{path}{found.decode()}".lstrip(".")


@dataclass(frozen=True)
class Pin:
    """A requirement that leaves only one release."""

    path: str
    text: str
    release: str

    @property
    def folder(self) -> str:
        """The folder whose files it is for."""
        return self.path.rpartition("/")[0]

    @property
    def reason(self) -> str:
        """What it says, for a report."""
        return f"{self.path} asks for {self.text}"


_DISTRIBUTIONS = re.compile(
    r"(?:intel-)?tensorflow(?:-gpu|-cpu|-macos|-estimator|-text|-rocm|-intel)?|tf-estimator", re.I
)
_TF2_DISTRIBUTIONS = re.compile(
    r"tf-nightly\S*|tensorflow-addons|tf-models-official|tf-models-nightly|tf-keras", re.I
)
_CONDITION = re.compile(r"(===?|~=|>=|<=|>|<|=)\s*(\d+)(?:\.(\d+))?")
_IMAGE = re.compile(
    r"^[ \t]*(?:FROM|ARG[ \t]+\w+=)[^\n]*?\btensorflow:((\d)\.\d+|[\w.]*-tf([12])-)", re.M | re.I
)
_QUOTED = re.compile(r"""['"]([A-Za-z][\w.-]*(?:\[[^\]]*\])?[ ]?[<>=~!][^'"]*)['"]""")


def pins(texts: Iterable[tuple[str, str, str]]) -> list[Pin]:
    """Requirements that tell the releases apart, from files: path, kind and text."""
    found: list[Pin] = []
    for path, kind, text in texts:
        if "tensorflow" not in text and "tf-" not in text and "keras" not in text:
            continue
        if kind == "docker":
            for image in _IMAGE.finditer(text):
                major = image[2] or image[3]
                name = f"tensorflow:{image[1]}".rstrip("-")
                found.append(Pin(path, name, TF2 if major == "2" else TF1))
        found.extend(
            Pin(path, text, release)
            for text, release in map(_required, _requirement_texts(kind, text))
            if release
        )
    return found


def _requirement_texts(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "project":
        for match in _QUOTED.finditer(text):
            item = _requirements.of_string(match[1])
            if item is not None:
                yield item.name, item.specifier
        return
    for item in _requirements.of_file(kind, text):
        yield item.name, item.specifier


def _required(item: tuple[str, str]) -> tuple[str, str]:
    """A requirement and the one release it leaves, empty where it leaves both or says nothing."""
    name, specifier = item[0].replace("_", "-"), item[1]
    text = f"{name}{specifier.strip()}"
    if _TF2_DISTRIBUTIONS.fullmatch(name):
        return text, TF2
    conditions = [
        (sign, int(major), int(minor or 0)) for sign, major, minor in _CONDITION.findall(specifier)
    ]
    if name.lower() == "keras":
        return text, TF2 if any(
            major >= 3 and sign[0] in "=~>" for sign, major, _ in conditions
        ) else ""
    if not _DISTRIBUTIONS.fullmatch(name):
        return text, ""
    for sign, major, minor in conditions:
        if sign[0] in "=~>" and major >= 2:
            return text, TF2
        if (sign[0] in "=~" and major == 1) or (
            sign[0] == "<" and (major, minor) <= ((1, 99) if sign == "<=" else (2, 0))
        ):
            return text, TF1
    return text, ""


@dataclass(frozen=True)
class Releases:
    """The release of each file that uses TensorFlow, and why."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Path -> ``tf1`` or ``tf2``."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Path -> what tells of it, for a report."""
    graphs: frozenset[str] = frozenset()
    """Files for TensorFlow 2 that use graphs and sessions of ``compat.v1``."""
    main: str = TF1
    """The release of most of the project."""
    reason: str = ""
    """What tells of that one."""

    @property
    def described(self) -> str:
        """The project's release and why, with the files that are for the other one."""
        counts = Counter(self.files.values())
        words = f"{WORDS[self.main]}: {self.reason}"
        others = sorted(path for path, release in self.files.items() if release != self.main)
        if others:
            other = next(release for release in counts if release != self.main)
            shown = "; ".join(f"{path}, {self.reasons[path]}" for path in others[:3])
            more = f"; and {len(others) - 3} more" if len(others) > 3 else ""
            words += f". {WORDS[other]} in {len(others)} of {len(self.files)} files: {shown}{more}"
        if self.graphs:
            words += f". compat.v1 with graphs and sessions in {_listed(sorted(self.graphs))}"
        return words


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def decide(
    evidence: Mapping[str, Evidence],
    asked_for: Iterable[Pin] = (),
    asked: str = "",
    where: str = "",
) -> Releases:
    """The release of every file, from what all of them say, or from what the user asked for."""
    if asked:
        reason = f"{where or '--framework'} says so"
        files = dict.fromkeys(evidence, asked)
        reasons = dict.fromkeys(evidence, reason)
        main: tuple[str, str] = asked, reason
    else:
        votes = _Votes(evidence, asked_for)
        told = {path: votes.of(path) for path in sorted(evidence)}
        files = {path: release for path, (release, _) in told.items()}
        reasons = {path: reason for path, (_, reason) in told.items()}
        main = votes.main(files)
    graphs = frozenset(
        path for path, found in evidence.items() if found.graph and files[path] == TF2
    )
    return Releases(files, reasons, graphs, *main)


_SEVERAL = 3
"""As many names, or files, are no accident."""


class _Votes:
    """What files and requirements say, folder by folder."""

    def __init__(self, evidence: Mapping[str, Evidence], asked_for: Iterable[Pin]) -> None:
        self.evidence = evidence
        self._pins: dict[str, list[Pin]] = {}
        for pin in asked_for:
            self._pins.setdefault(pin.folder, []).append(pin)
        self._sure: dict[str, Counter[str]] = {}
        self._leaning: dict[str, Counter[str]] = {}
        self._examples: dict[tuple[str, str], str] = {}
        for path, found in evidence.items():
            release = found.release
            leaning = TF1 if found.compat else TF2 if found.modern else ""
            for folder in _folders(path):
                if release:
                    self._sure.setdefault(folder, Counter())[release] += 1
                    said = f"{path} uses {found.reason}, which only {WORDS[release]} has"
                    self._examples.setdefault((folder, release), said)
                elif leaning:
                    self._leaning.setdefault(folder, Counter())[leaning] += 1
                    said = f"{path} has {found.compat or found.modern}"
                    self._examples.setdefault((folder, f"{leaning}?"), said)

    def of(self, path: str) -> tuple[str, str]:
        """The release of a file, and why.

        Where requirements ask for the other release, a name or two are left over from a port.
        """
        own = self.evidence[path]
        required = next(filter(None, map(self._by_requirement, _folders(path))), None)
        agrees = required is None or required[0] == own.release
        if own.release and (agrees or len(dict(own.only)[own.release]) >= _SEVERAL):
            return own.release, f"it uses {own.reason}"
        return required or self._around(path) or (TF1, _UNTOLD)

    def _around(self, path: str) -> Optional[tuple[str, str]]:
        """What most of the files around a file say, in the nearest folder where several tell."""
        folders = _folders(path)
        telling = [folder for folder in folders if self._total(folder) >= _SEVERAL]
        votes = (
            *map(self._by_names, telling),
            *map(self._by_names, folders),
            *map(self._by_style, folders),
        )
        return next(filter(None, votes), None)

    def _by_requirement(self, folder: str) -> Optional[tuple[str, str]]:
        here = self._pins.get(folder, [])
        if len({pin.release for pin in here}) == 1:
            return here[0].release, here[0].reason
        return None

    def _by_names(self, folder: str) -> Optional[tuple[str, str]]:
        return self._most(self._sure.get(folder), folder)

    def _by_style(self, folder: str) -> Optional[tuple[str, str]]:
        return self._most(self._leaning.get(folder), folder, "?")

    def _total(self, folder: str) -> int:
        return sum(self._sure.get(folder, Counter[str]()).values())

    def _most(
        self, counts: Optional[Counter[str]], folder: str, mark: str = ""
    ) -> Optional[tuple[str, str]]:
        common = (counts or Counter()).most_common(2)
        if not common or (len(common) > 1 and common[0][1] == common[1][1]):
            return None
        release = common[0][0]
        return release, self._examples[folder, release + mark]

    def main(self, files: Mapping[str, str]) -> tuple[str, str]:
        """The release of most files; of as many, that of the outermost requirement or folder."""
        found = (
            self._by_requirement("") or self._by_names("") or self._by_style("") or (TF1, _UNTOLD)
        )
        counts = Counter(files.values()).most_common(2)
        if not counts or counts[0][0] == found[0]:
            return found
        if len(counts) > 1 and counts[0][1] == counts[1][1]:
            return found
        release = counts[0][0]
        votes = self._most(Counter({release: 1}), "") if ("", release) in self._examples else None
        outermost = next(
            (
                (pin.release, pin.reason)
                for folder in sorted(self._pins, key=lambda name: name.count("/"))
                for pin in self._pins[folder]
                if pin.release == release
            ),
            None,
        )
        return votes or outermost or (release, _UNTOLD)


_UNTOLD = (
    "nothing in the project tells the releases apart, so it is taken for the older one; "
    "--framework names another"
)


def _folders(path: str) -> list[str]:
    """The folders around a file, the nearest first; the project itself is ``""``."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts), -1, -1)]
