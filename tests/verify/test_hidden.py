"""Files of the migrated project that other files kept from running."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.verify.captured import Capture
from ascendify.verify.shadowed import find_shadowed

FILES = ("pkg/__init__.py", "pkg/layers.py", "utils.py", "same.py")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The original, the migrated project and where packages are installed."""
    original, migrated, installed = (tmp_path / name for name in ("a", "a_npu", "installed"))
    for folder in (original, migrated, installed):
        for file in FILES:
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            text = file if file == "same.py" or folder == original else f"{folder.name}: {file}"
            path.write_text(text)
    return original, migrated, installed


@pytest.mark.parametrize(
    ("module", "where", "file", "reported"),
    [
        pytest.param("pkg.layers", "a", "pkg/layers.py", True, id="original"),
        pytest.param("pkg.layers", "installed", "pkg/layers.py", True, id="another version"),
        pytest.param("x.pkg", "a", "pkg/__init__.py", True, id="package"),
        pytest.param("__main__", "a", "utils.py", True, id="script of the original"),
        pytest.param("utils", "installed", "utils.py", False, id="a common name"),
        pytest.param("other.utils", "installed", "utils.py", False, id="another package"),
        pytest.param("same", "a", "same.py", False, id="not changed"),
    ],
)
def test_what_hides_a_file(
    folders: tuple[Path, Path, Path], module: str, where: str, file: str, reported: bool
) -> None:
    original, migrated, _ = folders
    path = original.parent / where / file
    reasons = find_shadowed(original, migrated, [Capture(0, elsewhere=((module, path),))])
    assert bool(reasons) == reported
    assert not reported or f"ran {path} instead of its own {file}" in reasons[0]
