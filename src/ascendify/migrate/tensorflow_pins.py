"""Requirements that leave only one release of TensorFlow: packages, images, commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ascendify.catalog.tensorflow_releases import TF1, TF2
from ascendify.rules.shell import _requirements


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
