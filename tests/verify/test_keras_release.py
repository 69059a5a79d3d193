"""The release of Keras that the original trains with, which decides about defaults."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ascendify.migrate.tensorflow_pins import keras_release
from ascendify.processes.commands import package_release

FILES = {
    "named at the top": ('import os\n__version__ = "2.3.1"\n', "2.3"),
    "in other quotes": ("__version__='2.2.4'\n", "2.2"),
    "named elsewhere": ("from keras.version import __version__\n", ""),
    "broken": ("raise ImportError\n__version__ = '2.3.0'\n", "2.3"),
}


@pytest.mark.parametrize(("text", "release"), FILES.values(), ids=FILES)
def test_the_release_of_an_installed_package(tmp_path: Path, text: str, release: str) -> None:
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras" / "__init__.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = (sys.executable, "train.py")
    assert package_release(command, "keras", tmp_path, environment) == release
    assert package_release(("sh", "train.sh"), "keras", tmp_path, environment) == ""
    assert package_release(command, "keras_of_nobody", tmp_path, environment) == ""


@pytest.mark.parametrize(
    ("pinned", "installed", "release"),
    [
        ("", "2.3", "2.3"),
        ("keras==2.2.4\n", "2.3", "2.2"),
        ("numpy\n", "2.2", "2.2"),
        ("", "2.13", ""),
        ("", "", ""),
    ],
)
def test_what_the_project_pins_beats_what_is_installed(
    pinned: str, installed: str, release: str
) -> None:
    texts = [("requirements.txt", "requirements", pinned)]
    assert keras_release(texts, installed) == release
