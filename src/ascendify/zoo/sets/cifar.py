"""CIFAR-10 and CIFAR-100 as their authors publish them: the binary files, or the Python ones.

Each version is a folder of files with the names below; archives are not unpacked. The Python
files are pickles: they are read by an unpickler that knows arrays and nothing else.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ascendify.errors import UsageError
from ascendify.zoo.recipe import Split

SIDE = 32
_PIXELS = 3 * SIDE * SIDE


@dataclass(frozen=True)
class CifarVersion:
    """One of the published versions: its files, and where the labels are in them."""

    title: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    names: str
    """File with the names of the classes."""
    binary: bool
    label: int = 0
    """Byte of the label in a binary record."""
    label_bytes: int = 1
    key: str = "labels"
    """Name of the labels in a Python file."""
    names_key: str = "label_names"

    def files(self, split: Split) -> tuple[str, ...]:
        """The files of a split."""
        return self.train if split == "train" else self.test


_FIVE = range(1, 6)
VERSIONS = (
    CifarVersion(
        "CIFAR-10, binary",
        tuple(f"data_batch_{n}.bin" for n in _FIVE),
        ("test_batch.bin",),
        "batches.meta.txt",
        binary=True,
    ),
    CifarVersion(
        "CIFAR-10, Python",
        tuple(f"data_batch_{n}" for n in _FIVE),
        ("test_batch",),
        "batches.meta",
        binary=False,
    ),
    CifarVersion(
        *("CIFAR-100, binary", ("train.bin",), ("test.bin",), "fine_label_names.txt"),
        binary=True,
        label=1,
        label_bytes=2,
    ),
    CifarVersion(
        *("CIFAR-100, Python", ("train",), ("test",), "meta"),
        binary=False,
        key="fine_labels",
        names_key="fine_label_names",
    ),
)


class Cifar:
    """Samples of a split: ``images`` [32, 32, 3] and ``labels``."""

    def __init__(self, folder: Path, version: CifarVersion, split: Split) -> None:
        read = _read_binary if version.binary else _read_python
        parts = [read(folder / name, version) for name in version.files(split)]
        self._pictures = np.concatenate([pictures for pictures, _ in parts])
        self.labels = np.concatenate([labels for _, labels in parts])
        self.classes = _class_names(folder / version.names, version, int(self.labels.max()) + 1)
        wrong = np.flatnonzero(self.labels >= len(self.classes))
        if len(wrong):
            raise UsageError(
                f"{folder}: picture {wrong[0]} of {split} has class {self.labels[wrong[0]]},"
                f" and {version.names} names {len(self.classes)} classes",
                "copy the folder again",
            )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return a picture."""
        picture = self._pictures[index].reshape(3, SIDE, SIDE).transpose(1, 2, 0)
        return {"images": np.ascontiguousarray(picture), "labels": self.labels[index]}


def find_version(folder: Path) -> CifarVersion | None:
    """Return the version whose first training file a folder has; None if there is none.

    ``train`` and ``test`` may also be folders of pictures.
    """
    for version in VERSIONS:
        if (folder / version.train[0]).is_file():
            return version
    return None


def _read_binary(path: Path, version: CifarVersion) -> tuple[Any, Any]:
    record = version.label_bytes + _PIXELS
    content = _content(path)
    if not content or len(content) % record:
        raise UsageError(
            f"{path} has {len(content):,} bytes, which are no whole records of {record}",
            "it was cut short, or is of another version: copy it again",
        )
    rows = np.frombuffer(content, np.uint8).reshape(-1, record)
    return rows[:, version.label_bytes :], rows[:, version.label].astype(np.int64)


def _read_python(path: Path, version: CifarVersion) -> tuple[Any, Any]:
    found = _unpickle(path)
    pictures: Any = found.get("data")
    labels: Any = found.get(version.key)
    fits = isinstance(pictures, np.ndarray) and pictures.dtype == np.uint8
    if not fits or pictures.shape[1:] != (_PIXELS,) or not isinstance(labels, list):
        raise UsageError(
            f"{path} has no array 'data' of {_PIXELS} bytes a picture and no {version.key!r}",
            f"it should be a file of {version.title}",
        )
    if len(labels) != len(pictures):
        raise UsageError(
            f"{path} has {len(pictures)} pictures and {len(labels)} labels", "copy it again"
        )
    return pictures, np.asarray(labels, np.int64)


def _class_names(path: Path, version: CifarVersion, fewest: int) -> tuple[str, ...]:
    """Return the names of the classes; numbers where the file is missing."""
    if not path.is_file():
        return tuple(map(str, range(fewest)))
    if version.binary:
        lines = _content(path).decode("utf-8", "replace").split("\n")
        return tuple(line.strip() for line in lines if line.strip())
    return tuple(map(str, _unpickle(path).get(version.names_key, ())))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "copy the whole folder of the set"
        ) from error


class _ArraysOnly(pickle.Unpickler):
    """Unpickles containers, numbers, texts and arrays; a pickle may name any function otherwise."""

    _ALLOWED = frozenset(
        (module, name)
        for core in ("numpy.core", "numpy._core")
        for module, name in (
            (f"{core}.multiarray", "_reconstruct"),
            (f"{core}.multiarray", "scalar"),
            ("numpy", "ndarray"),
            ("numpy", "dtype"),
            ("_codecs", "encode"),
        )
    )

    def find_class(self, module: str, name: str) -> Any:
        """Return what arrays are made with.

        Raises:
            UnpicklingError: it is anything else.
        """
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which no data set needs")
        return super().find_class(module.replace("numpy.core", _numpy_core()), name)


def _numpy_core() -> str:
    """Return the package of numpy's arrays, which numpy 2 renamed."""
    return "numpy._core" if int(np.__version__.partition(".")[0]) > 1 else "numpy.core"


def _unpickle(path: Path) -> dict[str, Any]:
    """Read a Python file of the set; its keys are texts, as Python 2 wrote them."""
    content = io.BytesIO(_content(path))
    try:
        found = _ArraysOnly(content, encoding="bytes").load()
    except Exception as error:  # a damaged pickle can raise anything
        raise UsageError(
            f"{path} is not a file of CIFAR: {error}", "copy it again from the authors' archive"
        ) from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no dictionary", "copy it again from the authors' archive")
    return {_text(key): _texts(value) for key, value in found.items()}


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _texts(value: Any) -> Any:
    return list(map(_text, value)) if isinstance(value, list) else value
