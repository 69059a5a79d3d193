"""Copies to run in: whole, apart from the user's files, and honest where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.verify import scratch


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "venv").mkdir()
    (root / "venv" / "pyvenv.cfg").write_text("")
    (root / "train.py").write_text("print('hello')\n")
    (root / "data" / "small").write_text("small")
    (root / "data" / "large").write_text("l" * 100)
    (root / "link.py").symlink_to("train.py")
    (root / "outside").symlink_to("../elsewhere")
    (tmp_path / "elsewhere").write_text("there")
    return root


def test_a_copy_is_whole_and_apart(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "LARGE", 50)
    copy = scratch.make(project, tmp_path / "copy" / "project")
    (copy.folder / "train.py").write_text("changed")
    (copy.folder / "data" / "new").write_text("new")
    assert (project / "train.py").read_text() == "print('hello')\n"
    assert sorted(path.name for path in (project / "data").iterdir()) == ["large", "small"]
    assert (copy.folder / "data" / "small").read_text() == "small"
    assert (copy.folder / "link.py").read_text() == "changed"
    assert (copy.folder / "outside").read_text() == "there"
    assert (copy.folder / "venv").is_symlink()
    assert not (copy.folder / ".git").exists()
    assert (copy.folder / "data" / "large").is_symlink()
    assert copy.changed() == ()


def test_writing_through_a_link_is_noticed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "LARGE", 50)
    copy = scratch.make(project, tmp_path / "copy")
    (copy.folder / "data" / "large").write_text("written through the link")
    assert copy.changed() == (project / "data" / "large",)
