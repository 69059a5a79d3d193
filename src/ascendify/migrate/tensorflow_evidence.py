"""Read from one file which release of TensorFlow it is for, by names that only one release has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ascendify.catalog import native_keras
from ascendify.catalog.tensorflow_releases import TF1, TF2, only_in

_NOISE = re.compile(
    rb'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    rb"|\'\'\'[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*\'\'\'"
    rb"|#[^\n]*",
    re.S,
)
"""Documentation and comments, which may speak of another release.

Runs of ordinary characters are passed over at once: one by one takes five times as long.
"""
_STRING = re.compile(rb"""(?<![fF"'])(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
"""Texts on one line, in which names are only mentioned; not those that hold code."""
_FOR_ONE_RELEASE = re.compile(
    rb"^([ \t]*)if[^\n]*\b__version__\b[^\n]*:[ \t]*\n(?:\1[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\n)*", re.M
)
"""What a file does after it compared the version: it runs with the other release as well."""
_ROOTS = rb"(?:tensorflow(?:_addons)?|keras|npu_bridge|npu_device|horovod)\b"
_IMPORT = re.compile(rb"^[ \t]*import[ \t]+(%s[^\n;#]*)" % _ROOTS, re.M)
_FROM = re.compile(
    rb"^[ \t]*from[ \t]+(%s[\w.]*)[ \t]+import\b"
    rb"[ \t]*(\([^)]*\)|(?:[^\n;#\\]|\\\r?\n)*)" % _ROOTS,
    re.M,
)
_USED = rb"%s(?<![\w.]%s)((?:\.[A-Za-z_]\w*)+)"
"""What follows the dots of a name that a file gives a module.

The name comes first and what may not stand before it second: a search for a text is many times
faster than trying each place.
"""
_PACKAGES = {
    "tensorflow_addons": TF2,
    "npu_device": TF2,
    "npu_bridge": TF1,
}
"""Packages that are there for one release only."""
_MODERN = frozenset({"function", "GradientTape", "keras"})
"""Names that both releases have and that programs for TensorFlow 2 are full of."""
_COMPAT_V2 = "compat.v2 as tf"
"""The import that takes the place of ``tensorflow``: all names of the file are TensorFlow 2's."""
_GRAPH = re.compile(
    r"compat\.v1\.(?:disable_\w+|Session|InteractiveSession|placeholder|get_variable|global_var\w+"
    r"|estimator|layers|train\.\w*(?:Optimizer|Session|Saver))\b"
)
"""Names of compat.v1 that programs with graphs and sessions use."""
_TRAINS = {
    b".minimize(": None,
    b".apply_gradients(": None,
    b".compute_gradients(": None,
    b".train_and_evaluate(": None,
    b".fit_generator(": None,
    b".train_on_batch(": None,
    b"Estimator(": re.compile(
        rb"(?<!class )(?<!\w)(?:TPU|NPU|DNN|Linear|DNNLinearCombined|Baseline)?Estimator\("
        rb"|\bestimator\.\w+\("
    ),
    b"learning.train(": re.compile(rb"\blearning\.train\("),
    b"GradientTape": re.compile(rb"\bGradientTape\b"),
    b"Optimizer(": re.compile(rb"\.\w+Optimizer\("),
}
"""Texts of programs that train; one with a pattern counts only where that matches too."""
_SESSIONS = {
    b"disable_": re.compile(rb"\bdisable_(?:v2_behavior|eager_execution)\b"),
    b"Session(": re.compile(rb"\b(?:Interactive|Monitored\w*)?Session\("),
    b"Estimator": re.compile(rb"\bEstimator(?:Spec)?\("),
    b"train_and_evaluate(": re.compile(rb"\btrain_and_evaluate\("),
}
"""Texts of programs that run sessions or Estimators, with patterns likewise."""
_ONLY_SESSIONS = re.compile(r"compat\.v1\.(?:Interactive)?Session\b")
"""Names of compat.v1 that eager programs use too, for a session that runs nothing."""
_SESSION = re.compile(rb"\b(?:Interactive|Monitored\w*)?Session\(")
_IDLE = re.compile(
    rb"^[ \t]*(?:(\w+)[ \t]*=[ \t]*|(?:\w+\.)*set_session\([ \t]*|)"
    rb"(?:\w+\.)*(?:Interactive)?Session\(",
    re.M,
)
"""A session that is made by a statement of its own, with the name it gets."""
_RUNNING = (b"disable_", b"placeholder(", b"get_default_session", b".eval(", b"Graph()",
            b"Estimator", b"_initializer()")  # fmt: skip
"""Texts of files that may run something in a session."""


@dataclass(frozen=True)
class ReleaseEvidence:
    """What one file says about its TensorFlow."""

    only: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Release -> names the file uses that only this release has."""
    modern: str = ""
    """A name that both have and that rather suits TensorFlow 2."""
    compat: str = ""
    """The import of ``tensorflow.compat.v1`` that takes the place of ``tensorflow``."""
    graph: bool = False
    """Whether it uses graphs and sessions of ``compat.v1``."""
    sessions: bool = False
    """Whether it runs sessions or Estimators, or switches eager execution off."""
    trains: bool = False
    """Whether it computes gradients or fits a model, rather than reading data or metrics."""

    @property
    def release(self) -> str:
        """The release that most names belong to; empty where there are none, or as many of each."""
        counts = sorted(((len(names), release) for release, names in self.only), reverse=True)
        if not counts or (len(counts) > 1 and counts[0][0] == counts[1][0]):
            return ""
        return counts[0][1]

    @property
    def reason(self) -> str:
        """The names that the release was concluded from."""
        names = sorted(dict(self.only).get(self.release, ()), key=lambda name: (len(name), name))
        return " and ".join(names[:2])


def read(content: bytes) -> ReleaseEvidence | None:
    """The evidence of a file, None when it does not use TensorFlow."""
    if b"tensorflow" not in content and b"keras" not in content and b"npu_" not in content:
        return None
    plain = _NOISE.sub(b"", content)
    imported = _Imports(plain)
    if not imported.found:
        return None
    names = common = {*imported.names, *imported.used(plain)}
    if b"__version__" in plain:
        common = {*imported.names, *imported.used(_FOR_ONE_RELEASE.sub(b"", plain))}
    only: dict[str, set[str]] = {}
    telling = {name for name in common if _release_of(name)[0]}
    if telling:
        telling &= {*imported.names, *imported.used(_STRING.sub(b"", plain))}
    for name in telling:
        release, shown = _release_of(name)
        only.setdefault(release, set()).add(shown)
    modern = sorted(name for name in names if name.partition(".")[0] in _MODERN)
    fits = b".fit(" in plain and b"keras" in plain
    idle = _has_idle_sessions(plain)
    of_graphs = (name for name in names if not (idle and _ONLY_SESSIONS.fullmatch(name)))
    return ReleaseEvidence(
        only=tuple((release, tuple(sorted(shown))) for release, shown in sorted(only.items())),
        modern=f"tf.{modern[0]}" if modern else "",
        compat=imported.compat,
        graph=bool(imported.compat) or any(map(_GRAPH.match, of_graphs)),
        sessions=not idle and _has_one_of(_SESSIONS, plain),
        trains=fits or _has_one_of(_TRAINS, plain),
    )


def _has_idle_sessions(content: bytes) -> bool:
    """Whether a file makes sessions and runs nothing in them: they only set GPU options."""
    if b"Session(" not in content or any(text in content for text in _RUNNING):
        return False
    made = _IDLE.findall(content)
    if len(made) != len(_SESSION.findall(content)):
        return False
    return all(
        len(re.findall(rb"\b%s\b" % name, content))
        == len(
            re.findall(
                rb"\b%s[ \t]*=|set_session\([ \t]*%s\b|\b%s\.close\(" % ((name,) * 3), content
            )
        )
        for name in filter(None, made)
    )


def _has_one_of(texts: Mapping[bytes, re.Pattern[bytes] | None], content: bytes) -> bool:
    return any(
        text in content and (pattern is None or pattern.search(content) is not None)
        for text, pattern in texts.items()
    )


def _release_of(name: str) -> tuple[str, str]:
    """The only release that has a name, empty for both, and the name as people write it."""
    root = name.partition(".")[0].lstrip("@")
    if name == _COMPAT_V2:
        return TF2, "tensorflow.compat.v2 as tf"
    if name.startswith("@"):
        if root == "keras":
            return (TF2 if native_keras.is_keras_3(name[1:]) else ""), name[1:]
        return _PACKAGES.get(root, ""), root
    return only_in(name), f"tf.{name}"


class _Imports:
    """The imports of TensorFlow in a file, as paths below ``tensorflow``.

    Paths of other packages begin with ``@``.
    """

    def __init__(self, text: bytes) -> None:
        self.found = False
        self.names: set[str] = set()
        self.compat = ""
        self._aliases: dict[str, set[str]] = {}
        """What the file calls a module -> the modules it may be, as paths below tensorflow."""
        for match in _statements(_IMPORT, text):
            for item in match[1].decode("utf-8", "replace").split(","):
                self._import(item.split())
        for match in _statements(_FROM, text):
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
        if path == "compat.v2" and alias == "tf":
            self.names.add(_COMPAT_V2)
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
            if whole == "compat.v2" and bound == "tf":
                self.names.add(_COMPAT_V2)
            if whole == "compat.v1":
                self.compat = f"from {module} import {item.strip()}"

    def _path(self, module: str) -> str | None:
        """A module as a path below tensorflow; None for a module of another package."""
        root, _, rest = module.partition(".")
        if root == "tensorflow":
            self.found = True
            return rest
        if root == "horovod":
            self.found = self.found or rest.partition(".")[0] in ("tensorflow", "keras")
            return None
        if root in ("keras", *_PACKAGES):
            self.found = True
            return f"@{module}"
        return None

    def used(self, text: bytes) -> Iterator[str]:
        """Find the names that the file uses through the modules it imported."""
        for alias, paths in self._aliases.items():
            if len(paths) > 1 and "compat.v1" in paths:
                # one of several modules: it stands for compat.v1 wherever there is one
                continue
            name = alias.encode()
            if name + b"." not in text:
                continue
            for attributes in set(_used(name).findall(text)):
                for path in paths:
                    yield f"{path}{attributes.decode()}".lstrip(".")


def _statements(pattern: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """Matches in the lines that have the word ``import``, which skips nearly all text."""
    at = text.find(b"import")
    while at >= 0:
        match = pattern.match(text, text.rfind(b"\n", 0, at) + 1)
        if match is not None:
            yield match
            at = match.end()
        # of one line, the first such word is enough
        at = text.find(b"\n", at)
        at = text.find(b"import", at) if at >= 0 else at


@cache
def _used(name: bytes) -> re.Pattern[bytes]:
    """Return a pattern that finds what is read from a module by its local name."""
    escaped = re.escape(name)
    return re.compile(_USED % (escaped, escaped))
