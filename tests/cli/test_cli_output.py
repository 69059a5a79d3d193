"""Where reports go: pure machine formats on standard output, whole files, one line on stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendify.cli.options import Format
from ascendify.cli.output import Output, show, show_diff, write
from ascendify.errors import UsageError
from ascendify.findings import Status
from support.made_reports import made_up

REPORT = made_up([Status.BLOCKER, Status.AUTO], changed=True)


@pytest.mark.parametrize("format_", [Format.JSON, Format.SARIF], ids=["json", "sarif"])
def test_machine_formats_are_all_there_is(
    capsysbinary: pytest.CaptureFixture[bytes], format_: Format
) -> None:
    show(REPORT, Output(format_))
    captured = capsysbinary.readouterr()
    assert json.loads(captured.out)
    assert captured.err == b""


def test_github_annotations(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    show(REPORT, Output(Format.GITHUB))
    assert capsysbinary.readouterr().out.startswith(b"::")


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(REPORT, Output())
    normal = capsys.readouterr().out
    show(REPORT, Output(verbose=True))
    verbose = capsys.readouterr().out
    show(REPORT, Output(quiet=True))
    quiet = capsys.readouterr().out
    assert "TF1-SESS-1" in normal
    assert 0 < len(quiet) < len(normal) < len(verbose)


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    show(REPORT, Output(statistics=True))
    assert capsys.readouterr().out.splitlines()[0].split() == ["code", "title", "status", "count"]


@pytest.mark.parametrize("format_", list(Format))
def test_a_file_gets_the_report_and_stderr_one_line(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, format_: Format
) -> None:
    file = tmp_path / "report"
    file.write_bytes(b"an older report")
    show(REPORT, Output(format_, file))
    captured = capsysbinary.readouterr()
    assert captured.out == b""
    (line,) = captured.err.decode().splitlines()
    assert "readiness" in line
    assert line.endswith(f"report in {file}")
    assert file.read_bytes() not in (b"", b"an older report")
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_gets_every_format(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "reports"
    show(REPORT, Output(folder=folder))
    names = {"report.txt", "report.json", "report.sarif", "report.xlsx"}
    assert {file.name for file in folder.iterdir()} == names


def test_no_spreadsheet_without_its_library(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("ascendify.cli.output.find_spec", lambda _: None)
    show(REPORT, Output(folder=tmp_path))
    assert not (tmp_path / "report.xlsx").exists()
    assert "warning: no report.xlsx: openpyxl is missing" in capsys.readouterr().err
    with pytest.raises(UsageError, match="need openpyxl") as caught:
        Output(Format.XLSX, tmp_path / "a.xlsx").check()
    assert caught.value.hint == "pip install 'ascendify[xlsx]'"


@pytest.mark.parametrize(
    ("output", "message"),
    [
        pytest.param(Output(Format.XLSX), "cannot be printed", id="xlsx-on-a-terminal"),
        pytest.param(Output(Format.JSON, statistics=True), "does not go with", id="statistics"),
        pytest.param(Output(file=Path("gone/report")), "does not exist", id="no-folder"),
        pytest.param(Output(file=Path()), "is a folder", id="folder-for-file"),
        pytest.param(Output(folder=Path(__file__)), "is not a folder", id="file-for-folder"),
    ],
)
def test_what_cannot_be_written_is_refused_first(output: Output, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        output.check()
    assert caught.value.hint


def test_a_failed_write_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "report"
    file.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_diff_is_all_there_is_on_standard_output(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    show_diff(REPORT)
    captured = capsysbinary.readouterr()
    assert b"-a = 1\n+a = 2\n" in captured.out
    assert b"readiness" not in captured.out
    assert captured.err.count(b"\n") == 1
