"""Patches: real patch programs take the input to the output, and back, byte for byte."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendify.reports import diff
from ascendify.reports.model import FileAction, FileResult, Report

LINES = "".join(f"line {n}\n" for n in range(30))

CHANGES = [
    pytest.param("a.py", "x = 1\ny = 2\n", "x = 1\ny = 3\n", "utf-8", id="plain"),
    pytest.param("a.py", "x\r\ny\r\n", "x\r\nz\r\ny\r\n", "utf-8", id="crlf"),
    pytest.param("a.py", "x\r\ny\nz\r\n", "x\r\nw\nz\r\n", "utf-8", id="mixed newlines"),
    pytest.param("a.py", "x\ry\rz", "x\rw\rz", "utf-8", id="old Mac newlines"),
    pytest.param("a.py", "x\ny", "x\nz", "utf-8", id="no final newline, changed"),
    pytest.param("a.py", "x\ny\nlast", "w\ny\nlast", "utf-8", id="no final newline, context"),
    pytest.param("a.py", "x\ny", "x\ny\n", "utf-8", id="final newline added"),
    pytest.param("a.py", "x\ny\n", "x\ny", "utf-8", id="final newline removed"),
    pytest.param("a.py", "x\r\ny\r", "x\r\ny\r\n", "utf-8", id="only the last newline byte"),
    pytest.param("a.py", "", "x\n", "utf-8", id="from empty"),
    pytest.param("a.py", "x\n", "", "utf-8", id="to empty"),
    pytest.param("a.py", "a\x0cb\x0bc\x1cd\u2028e\x85\n", "a\x0cB\x0bc\x1cd\u2028e\x85\n", "utf-8",
                 id="characters only splitlines breaks at"),
    pytest.param("a.py", "# 步\nx = '网'\n", "# 步\nx = '络'\n", "utf-8", id="non-ASCII"),
    pytest.param("a.py", "# coding: gbk\nx = '网'\n", "# coding: gbk\nx = '络'\n", "gbk", id="gbk"),
    pytest.param("a.py", "# é\nx\n", "# é\ny\n", "latin-1", id="latin-1"),
    pytest.param("a.py", "import a\nx\n", "import b\nx\n", "utf-8-sig", id="byte order mark"),
    pytest.param("a.py", "x = '\udce9'\ny\n", "x = '\udce9'\nz\n", "utf-8", id="stray byte"),
    pytest.param("a.py", "x  \n\t\n y\n", "x  \n\t\n z \n", "utf-8", id="trailing blanks"),
    pytest.param("a.py", "-- x\n++ y\n", "-- z\n++ y\n++ w\n", "utf-8", id="looks like a header"),
    pytest.param("a.py", LINES, LINES.replace("e 3\n", "e!\n").replace("e 27\n", "e?\n"), "utf-8",
                 id="two hunks"),
    pytest.param("dir/输入 管道.py", "x\n", "y\n", "utf-8", id="unicode path with a space"),
    pytest.param('we"ird\\name.py', "x\n", "y\n", "utf-8", id="path with a quote and a backslash"),
    pytest.param("tab\there.py", "x\n", "y\n", "utf-8", id="path with a tab"),
    pytest.param("new.py", None, "x\ny\n", "utf-8", id="added"),
    pytest.param("sub/new.py", None, "x", "utf-8", id="added in a new folder, no final newline"),
]  # fmt: skip


def one_file(clean: Report, path: str, before: str | None, after: str, encoding: str) -> Report:
    action = FileAction.ADDED if before is None else FileAction.CHANGED
    return replace(clean, files=(FileResult(path, action, before, after, encoding=encoding),))


def write(root: Path, path: str, text: str | None, encoding: str) -> None:
    if text is not None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode(encoding, "surrogateescape"))


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def apply(program: str, patch: bytes, root: Path) -> None:
    commands = {
        "git": ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"],
        "patch": ["patch", "-p1", "--silent", "--no-backup-if-mismatch"],
    }
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        commands[program], input=patch, cwd=root, capture_output=True, check=False,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(root.parent)},
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("program", ["git", "patch"])
@pytest.mark.parametrize(("path", "before", "after", "encoding"), CHANGES)
def test_there_and_back(
    clean: Report,
    tmp_path: Path,
    program: str,
    path: str,
    before: str | None,
    after: str,
    encoding: str,
) -> None:
    report = one_file(clean, path, before, after, encoding)
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    write(source, path, before, encoding)
    write(target, path, after, encoding)
    original, migrated = tree(source), tree(target)

    apply(program, diff.patch(report), source)
    if not (program == "patch" and after == ""):  # patch deletes a file it empties
        assert tree(source) == migrated
    apply(program, diff.patch(report, inverse=True), target)
    assert tree(target) == original


def test_an_added_empty_file(clean: Report, tmp_path: Path) -> None:
    report = one_file(clean, "pkg/__init__.py", None, "", "utf-8")
    apply("git", diff.patch(report), tmp_path)
    assert tree(tmp_path) == {"pkg/__init__.py": b""}
    apply("git", diff.patch(report, inverse=True), tmp_path)
    assert tree(tmp_path) == {}


def test_many_files_in_their_own_encodings(clean: Report, tmp_path: Path) -> None:
    cases = [case.values for case in CHANGES if str(case.values[0]) == "a.py"]
    entries = []
    for number, (_, before, after, encoding) in enumerate(cases):
        path = f"d{number}/a.py"
        entries.append(
            FileResult(path, FileAction.CHANGED, str(before), str(after), encoding=str(encoding))
        )
        write(tmp_path, path, str(before), str(encoding))
    report = replace(clean, files=tuple(entries))
    original = tree(tmp_path)
    apply("git", diff.patch(report), tmp_path)
    assert all(
        tree(tmp_path)[e.path] == str(e.after).encode(e.encoding, "surrogateescape")
        for e in entries
    )
    apply("git", diff.patch(report, inverse=True), tmp_path)
    assert tree(tmp_path) == original


def test_the_text_to_read(report: Report) -> None:
    assert diff.unified(report).split("diff --git ")[2:] == [
        "a/npu_options.py b/npu_options.py\n"
        "new file mode 100644\n"
        "--- /dev/null\n"
        "+++ b/npu_options.py\n"
        "@@ -0,0 +1 @@\n"
        "+MODE = None\n",
        "a/train.py b/train.py\n"
        "--- a/train.py\n"
        "+++ b/train.py\n"
        "@@ -1,4 +1,5 @@\n"
        " import tensorflow as tf\n"
        "+from npu_bridge.npu_init import npu_config_proto\n"
        " \n"
        "-sess = tf.Session()\n"
        "+sess = tf.Session(config=npu_config_proto())\n"
        ' print("步")\n',
    ]


def test_no_final_newline_is_marked(report: Report) -> None:
    assert (
        diff.unified(report)
        .split("diff --git ")[1]
        .endswith(
            '-{"cells": []}\n\\ No newline at end of file\n'
            '+{"cells": [1]}\n\\ No newline at end of file\n'
        )
    )


@pytest.mark.parametrize(
    "files",
    [
        pytest.param((), id="no files"),
        pytest.param((FileResult("a.py", FileAction.COPIED),), id="copied"),
        pytest.param((FileResult("a.py", FileAction.CHANGED, "x\n", "x\n"),), id="same text"),
    ],
)
def test_nothing_changed_is_an_empty_patch(clean: Report, files: tuple[FileResult, ...]) -> None:
    report = replace(clean, files=files)
    assert diff.patch(report) == diff.patch(report, inverse=True) == b""
    assert diff.unified(report) == ""


def replay(patch: str, old: str) -> str:
    """Apply the hunks of one file by the book, with ``\\n`` as the only line end."""
    source = [line + "\n" for line in old.split("\n")]
    source[-1] = source[-1][:-1]
    result: list[str] = []
    at = 0
    lines = [line + "\n" for line in patch.split("\n")[:-1]]
    for number, line in enumerate(lines):
        if line.startswith("@@ "):
            start, _, size = line.split(" ")[1][1:].partition(",")
            begin = int(start) - (0 if size == "0" else 1)
            result += source[at:begin]
            at = begin
        elif line[0] in " +-":
            unended = number + 1 < len(lines) and lines[number + 1].startswith("\\")
            body = line[1:-1] if unended else line[1:]
            if line[0] != "+":
                assert source[at] == body
                at += 1
            if line[0] != "-":
                result.append(body)
    return "".join(result + source[at:])


TEXTS = st.text(st.sampled_from("ab\n\n\r\x0c\x0b\u2028步 "), max_size=30)


@settings(max_examples=200)
@given(before=TEXTS, after=TEXTS)
def test_any_two_texts(before: str, after: str) -> None:
    files = (FileResult("a.py", FileAction.CHANGED, before, after),)
    report = Report("migrate", "0", ".", None, files, ())
    for inverse, old, new in ((False, before, after), (True, after, before)):
        text = diff.patch(report, inverse=inverse).decode()
        hunks = text[text.index("@@ ") :] if "@@ " in text else ""
        assert replay(hunks, old) == new
