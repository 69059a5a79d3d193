"""Requirements that leave only one release of TensorFlow: packages, images, commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ascendify.catalog.tensorflow_releases import TF1, TF2
from ascendify.rules.shell import _requirements


@dataclass(frozen=True)
class Pin:
    """A requirement of TensorFlow, and the one release that it leaves."""

    path: str
    text: str
    release: str
    """The required release; empty where both are allowed, which also overrides outer folders."""

    @property
    def folder(self) -> str:
        """The folder whose files it is for."""
        return self.path.rpartition("/")[0]

    @property
    def reason(self) -> str:
        """The line that requires it, for a report."""
        return f"{self.path} requires {self.text}"


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
_COMMENT = re.compile(r"^#[ \t]*(tensorflow(?:-gpu|-cpu)?)[ \t]*((?:[<>=~]=?)[ \t]*\d[\d.]*)", re.M)
"""``# tensorflow >= 2.0 (install it yourself)``, in files that ask for no TensorFlow otherwise."""
_KERAS = ("2.2", "2.3")
"""Releases of keras whose defaults differ; later ones are tf.keras."""
_QUOTED = re.compile(r"""['"]([A-Za-z][\w.-]*(?:\[[^\]]*\])?[ ]?[<>=~!][^'"]*)['"]""")


def pins(texts: Iterable[tuple[str, str, str]]) -> list[Pin]:
    """Requirements of TensorFlow, from files: path, kind and text."""
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
            for (name, _), (text, release) in (
                (item, _required(item)) for item in _requirement_texts(kind, text)
            )
            if release or _DISTRIBUTIONS.fullmatch(name)
        )
    return found


def keras_release(texts: Iterable[tuple[str, str, str]], installed: str = "") -> str:
    """Return the release of the keras package that files pin, ``2.2`` or ``2.3``; else empty.

    Args:
        texts: The files that may pin one.
        installed: The release that the project trains with, where no file pins one.
    """
    for _, kind, text in texts:
        if "keras" not in text.lower():
            continue
        for name, specifier in _requirement_texts(kind, text):
            for sign, major, minor in _CONDITION.findall(specifier):
                if name.lower() == "keras" and sign[0] in "=~" and f"{major}.{minor}" in _KERAS:
                    return f"{major}.{minor}"
    return installed if installed in _KERAS else ""


def _requirement_texts(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "project":
        for match in _QUOTED.finditer(text):
            item = _requirements.of_string(match[1])
            if item is not None:
                yield item.name, item.specifier
        return
    found = [(item.name, item.specifier) for item in _requirements.of_file(kind, text)]
    yield from found
    if not any(_DISTRIBUTIONS.fullmatch(name) for name, _ in found):
        yield from _COMMENT.findall(text)


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
