"""The command line over the real pipeline, as a new user would run it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.cli.progress import Advance
from support.commands import ascendify
from support.projects import SESSION, write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_check_finds_and_writes_nothing(project: Path) -> None:
    before = contents(project.parent)
    result = ascendify("check", project)
    assert result.returncode == 1, result.stderr
    assert "TF1-" in result.stdout
    assert result.stderr == ""
    assert contents(project.parent) == before


def test_a_console_without_the_characters_gets_the_report(tmp_path: Path) -> None:
    project = write_project(tmp_path / "\u9879\u76ee", **{"\u8bad\u7ec3": SESSION})
    result = ascendify("check", project, "-v", variables={"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 1, result.stderr
    assert "\\u8bad\\u7ec3.py" in result.stdout


def test_check_of_single_files(project: Path) -> None:
    write_project(project, other="print('hello')\n")
    result = ascendify("check", "train.py", "other.py", "--output-format", "json", cwd=project)
    assert result.returncode == 1, result.stderr
    assert {file["path"] for file in json.loads(result.stdout)["files"]} == {"train.py", "other.py"}


def test_check_of_a_clean_project(tmp_path: Path) -> None:
    result = ascendify("check", write_project(tmp_path / "clean", hello="print('hello')\n"))
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("format_", ["json", "sarif"])
def test_machine_formats_are_pure(project: Path, format_: str) -> None:
    result = ascendify("check", project, "--output-format", format_)
    assert result.returncode == 1, result.stderr
    assert json.loads(result.stdout)
    assert result.stderr == ""


def test_select_and_ignore(project: Path) -> None:
    result = ascendify("check", project, "--output-format", "json", "--ignore", "tf1")
    codes = {finding["code"] for finding in json.loads(result.stdout)["findings"]}
    assert not any(code.startswith("TF1-") for code in codes)


def test_migrate_writes_the_output_and_leaves_the_input(project: Path) -> None:
    before = contents(project)
    out = project.parent / "out"
    result = ascendify("migrate", project, "-o", out)
    assert result.returncode == 0, result.stderr
    assert contents(project) == before
    assert "npu" in (out / "train.py").read_text()


def test_migrate_as_the_vendors_tool_is_called(project: Path) -> None:
    args = "migrate -i project -o out -r reports -m train.py -d horovod"
    result = ascendify(*args.split(), cwd=project.parent)
    assert result.returncode == 0, result.stderr
    assert (project.parent / "out" / "train.py").is_file()
    assert (project.parent / "reports" / "report.sarif").is_file()


def test_diff_shows_the_changes_and_writes_nothing(project: Path) -> None:
    before = contents(project.parent)
    result = ascendify("migrate", project, "--diff")
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith("diff ")
    assert "+++ " in result.stdout
    assert contents(project.parent) == before


def test_migrating_the_output_changes_nothing(project: Path) -> None:
    out = project.parent / "out"
    assert ascendify("migrate", project, "-o", out).returncode == 0
    again = ascendify("migrate", out, "--diff")
    assert (again.returncode, again.stdout) == (0, "")


def test_in_place(project: Path) -> None:
    result = ascendify("migrate", project, "--in-place")
    assert result.returncode == 0, result.stderr
    assert "npu" in (project / "train.py").read_text()


def test_options_reach_the_project(project: Path) -> None:
    out = project.parent / "out"
    mode = "allow_mix_precision"
    result = ascendify("migrate", project, "-o", out, "--precision-mode", mode)
    assert result.returncode == 0, result.stderr
    assert any(mode.encode() in source for source in contents(out).values())


def test_an_interrupted_run_leaves_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def interrupted(quiet: bool) -> Iterator[Advance]:
        def advance(done: float, total: int, path: str) -> None:
            raise KeyboardInterrupt

        yield advance

    monkeypatch.setattr("ascendify.cli.migrate.progress", interrupted)
    assert main(["migrate", str(project), "-o", str(project.parent / "out"), "--jobs", "1"]) == 130
    assert capsys.readouterr().err.startswith("error: interrupted\n")
    assert list(project.parent.iterdir()) == [project]
