"""Writing the result: beside and renamed, so that a failure leaves nothing half-written."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendify.errors import UsageError
from ascendify.migrate import writer
from ascendify.migrate.pipeline import migrate
from ascendify.migrate.settings import Settings, load

SESSION = "import tensorflow as tf\nsess = tf.Session()\n"
MIGRATED = (
    "import tensorflow as tf\nfrom npu_bridge.npu_init import npu_config_proto\n"
    "sess = tf.Session(config=npu_config_proto())\n"
)


def _project(root: Path, **more: str) -> Path:
    project = root / "in"
    project.mkdir()
    for name, text in {"train.py": SESSION, "notes.txt": "notes\n", **more}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    return project


def _settings(project: Path, **given: Any) -> Settings:
    return load(project, select=("TF1-SESS-1",), jobs=1, **given)


def _snapshot(root: Path) -> dict[str, str]:
    """Every path below a folder with its content, links as links."""
    found = {}
    for path in sorted(root.rglob("*")):
        if ".git" in path.relative_to(root).parts:
            continue
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = path.read_bytes().decode("latin-1")
    return found


def test_the_output_is_the_whole_project(tmp_path: Path) -> None:
    project = _project(tmp_path, **{"a/b/data.txt": "x"})
    before = _snapshot(project)
    migrate(_settings(project, output=tmp_path / "out"))
    assert _snapshot(project) == before
    assert _snapshot(tmp_path / "out") == {**before, "train.py": MIGRATED}


def test_modes_links_and_empty_folders(tmp_path: Path) -> None:
    project = _project(tmp_path, **{"run.sh": "#!/bin/sh\n", "bin/tool": "x"})
    (project / "train.py").chmod(0o755)
    (project / "run.sh").chmod(0o750)
    (project / "bin").chmod(0o700)
    (project / "empty/inner").mkdir(parents=True)
    (project / "link.py").symlink_to("train.py")
    (project / "folder").symlink_to("bin", target_is_directory=True)
    (project / "dangling").symlink_to("nowhere")
    migrate(_settings(project, output=tmp_path / "out"))
    out = tmp_path / "out"
    modes = {
        name: stat.S_IMODE((out / name).stat().st_mode) for name in ("train.py", "run.sh", "bin")
    }
    assert modes == {"train.py": 0o755, "run.sh": 0o750, "bin": 0o700}
    assert (out / "empty/inner").is_dir()
    links = {name: str((out / name).readlink()) for name in ("link.py", "folder", "dangling")}
    assert links == {"link.py": "train.py", "folder": "bin", "dangling": "nowhere"}
    assert (out / "link.py").read_text(encoding="utf-8") == MIGRATED


def test_the_mode_of_the_output_is_that_of_the_input(tmp_path: Path) -> None:
    project = _project(tmp_path)
    project.chmod(0o755)
    migrate(_settings(project, output=tmp_path / "out"))
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o755


def test_missing_folders_above_the_output_are_made(tmp_path: Path) -> None:
    migrate(_settings(_project(tmp_path), output=tmp_path / "x/y/out"))
    assert (tmp_path / "x/y/out/train.py").read_text(encoding="utf-8") == MIGRATED


@pytest.mark.parametrize("failing", ["write_bytes", "copy2", "replace"])
def test_a_failure_while_writing_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    project = _project(tmp_path)
    before = _snapshot(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "copy2":
        monkeypatch.setattr(shutil, "copy2", fail)
    else:
        monkeypatch.setattr(Path, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        migrate(_settings(project, output=tmp_path / "x/y/out"))
    monkeypatch.undo()
    assert _snapshot(tmp_path) == before


def test_a_failure_keeps_the_output_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _project(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/old.txt").write_text("old", encoding="utf-8")
    before = _snapshot(tmp_path)
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        if target.name == "out" and self.name.startswith(".out.") and ".old." not in str(self):
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        migrate(_settings(project, output=tmp_path / "out", force=True))
    monkeypatch.undo()
    assert _snapshot(tmp_path) == before


def test_force_replaces_a_full_output(tmp_path: Path) -> None:
    project = _project(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/old.txt").write_text("old", encoding="utf-8")
    with pytest.raises(UsageError, match="exists and is not empty"):
        _settings(project, output=tmp_path / "out")
    migrate(_settings(project, output=tmp_path / "out", force=True))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["notes.txt", "train.py"]


REFUSED = {"inside": "in/out", "deep inside": "in/a/b/out", "the input": "in", "around": "."}


@pytest.mark.parametrize("output", REFUSED.values(), ids=REFUSED)
def test_dangerous_outputs_are_refused(tmp_path: Path, output: str) -> None:
    project = _project(tmp_path)
    with pytest.raises(UsageError):
        _settings(project, output=tmp_path / output)


def test_in_place(tmp_path: Path) -> None:
    project = _project(tmp_path)
    (project / "train.py").chmod(0o755)
    migrate(_settings(project, in_place=True))
    assert (project / "train.py").read_text(encoding="utf-8") == MIGRATED
    assert stat.S_IMODE((project / "train.py").stat().st_mode) == 0o755
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "in.undo.patch"]
    assert sorted(path.name for path in project.iterdir()) == ["notes.txt", "train.py"]


def test_in_place_a_link_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    project = _project(tmp_path)
    (project / "link.py").symlink_to("train.py")
    migrate(_settings(project, in_place=True))
    assert (project / "link.py").is_symlink()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_in_place_all_files_change_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    project = _project(tmp_path, **{"second.py": SESSION, "third.py": SESSION})
    before = _snapshot(tmp_path)
    replace = Path.replace
    calls: list[Path] = []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == after + 1:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(OSError, match="No space left"):
        migrate(_settings(project, in_place=True))
    monkeypatch.undo()
    assert len(calls) >= after + 1
    assert _snapshot(tmp_path) == before


def _git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *who, *args), check=True, capture_output=True)


def test_in_place_wants_a_clean_git_tree(tmp_path: Path) -> None:
    project = _project(tmp_path)
    _git(project, "init")
    with pytest.raises(UsageError, match="uncommitted changes"):
        migrate(_settings(project, in_place=True))
    assert (project / "train.py").read_text(encoding="utf-8") == SESSION
    _git(project, "add", ".")
    _git(project, "commit", "-m", "all")
    migrate(_settings(project, in_place=True))
    assert (project / "train.py").read_text(encoding="utf-8") == MIGRATED


def test_in_place_force_takes_a_dirty_tree(tmp_path: Path) -> None:
    project = _project(tmp_path)
    _git(project, "init")
    migrate(_settings(project, in_place=True, force=True))
    assert (project / "train.py").read_text(encoding="utf-8") == MIGRATED


def test_in_place_looks_only_at_what_is_migrated(tmp_path: Path) -> None:
    project = _project(tmp_path)
    _git(tmp_path, "init")
    _git(tmp_path, "add", "in")
    _git(tmp_path, "commit", "-m", "all")
    (tmp_path / "elsewhere.txt").write_text("x", encoding="utf-8")
    migrate(_settings(project, in_place=True))
    assert (project / "train.py").read_text(encoding="utf-8") == MIGRATED


def test_in_place_git_that_cannot_answer_is_no_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _project(tmp_path)
    said = subprocess.CompletedProcess([], 128, "", "fatal: detected dubious ownership\n")
    monkeypatch.setattr(writer.subprocess, "run", lambda *_, **__: said)  # type: ignore[attr-defined]  # the module it uses
    with pytest.raises(UsageError, match="dubious ownership"):
        migrate(_settings(project, in_place=True))


def test_a_diff_writes_nothing(tmp_path: Path) -> None:
    project = _project(tmp_path)
    before = _snapshot(tmp_path)
    report = migrate(_settings(project, diff=True, output=tmp_path / "out"))
    assert report.rewritten_files[0].after == MIGRATED
    assert _snapshot(tmp_path) == before


ODD_FILES = {
    "plain.py": SESSION.encode(),
    "crlf.py": SESSION.replace("\n", "\r\n").encode(),
    "mixed.py": b"import tensorflow as tf\r\nsess = tf.Session()\n",
    "mark.py": SESSION.encode("utf-8-sig"),
    "gbk.py": ("# coding: gbk\n# \u4e2d\u6587\n" + SESSION).encode("gbk"),
    "latin.py": ("# -*- coding: latin-1 -*-\n# caf\u00e9\n" + SESSION).encode("latin-1"),
    "no_newline.py": SESSION.rstrip("\n").encode(),
    "form_feed.py": b"import tensorflow as tf\n\x0c\nsess = tf.Session()\n",
    "name with space.py": SESSION.encode(),
    "\u4e2d\u6587.py": SESSION.encode(),
}


@pytest.mark.parametrize("program", ["git", "patch"])
@pytest.mark.parametrize("in_place", [False, True], ids=["output", "in-place"])
def test_the_undo_patch_gives_the_input_back(tmp_path: Path, program: str, in_place: bool) -> None:
    project = _project(tmp_path)
    for name, content in ODD_FILES.items():
        (project / name).write_bytes(content)
    before = _snapshot(project)
    target = project if in_place else tmp_path / "out"
    given: dict[str, Any] = {"in_place": True} if in_place else {"output": target}
    report = migrate(_settings(project, npu={"precision_mode": "allow_mix_precision"}, **given))
    assert {entry.path for entry in report.rewritten_files} == {
        "train.py",
        "npu_options.py",
        *ODD_FILES,
    }
    patch = target.with_name(target.name + ".undo.patch")
    if program == "git":
        command = ["git", "apply", "--whitespace=nowarn", str(patch)]
    else:
        command = ["patch", "-p1", "--binary", "-s", "-E", "-i", str(patch)]
    # a repository around the folder would change what git takes paths to be relative to
    _git(target, "init")
    subprocess.run(command, cwd=target, check=True, capture_output=True)
    assert _snapshot(target) == before


def test_no_change_no_patch(tmp_path: Path) -> None:
    project = tmp_path / "in"
    project.mkdir()
    (project / "a.py").write_text("x = 1\n", encoding="utf-8")
    migrate(_settings(project, output=tmp_path / "out"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_a_single_file(tmp_path: Path) -> None:
    project = _project(tmp_path)
    migrate(_settings(project / "train.py", output=tmp_path / "out"))
    assert _snapshot(tmp_path / "out") == {"train.py": MIGRATED}
