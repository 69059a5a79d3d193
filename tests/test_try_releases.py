"""The tool that tries releases: what it installs, reads and writes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import release_environments
import release_steps
import try_releases
from release_commands import NotPossibleError, run
from release_environments import Wanted

from ascendify.emulation import releases
from ascendify.emulation.releases import ExamplesResult, OpInfoResult, SuiteResult, TriedRelease

ROOT = Path(__file__).parent.parent
OPINFO = OpInfoResult(99, (), 0, "2026-01-01")
EXAMPLES = ExamplesResult(("amp",), (), {}, "2026-01-01")


@pytest.mark.parametrize(
    ("version", "among", "not_among"),
    [
        pytest.param("2.1.0", "numpy<2 setuptools<80 transformers<4.50", "numpy", id="2.1"),
        pytest.param("2.3.1", "numpy<2 transformers<5 accelerate", "setuptools<80", id="2.3"),
        pytest.param("2.5.1", "numpy transformers<5", "transformers", id="2.5"),
        pytest.param("2.10.0", "torch==2.10.0 numpy accelerate expecttest", "numpy<2", id="2.10"),
        pytest.param("2.13.0+cpu", "torch==2.13.0+cpu --extra-index-url", "numpy<2", id="CPU"),
        pytest.param("2.13.0", "torch==2.13.0", "--extra-index-url", id="package index"),
    ],
)
def test_what_is_installed_with_a_release(version: str, among: str, not_among: str) -> None:
    found = Wanted("torch", version).requirements
    assert set(among.split()) <= set(found)
    assert not_among not in found


@pytest.mark.parametrize(
    ("framework", "version", "first", "last"),
    [
        pytest.param("torch", "2.13.0", (3, 13), (3, 8), id="torch"),
        pytest.param("tensorflow", "1.15.0", (3, 7), (3, 7), id="TensorFlow 1.15"),
        pytest.param("tensorflow", "2.6.5", (3, 13), (3, 8), id="TensorFlow 2"),
    ],
)
def test_pythons_to_try(
    framework: str, version: str, first: tuple[int, int], last: tuple[int, int]
) -> None:
    pythons = Wanted(framework, version).pythons
    assert (pythons[0], pythons[-1]) == (first, last)


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of TensorFlow would run beside those of PyTorch, with the user's interpreter."""
    monkeypatch.setenv("ASCENDIFY_TF2_PYTHON", "/usr/bin/python3")
    code = "import os; print(sorted(k for k in os.environ if k.endswith('2_PYTHON')))"
    given = {"ASCENDIFY_TF2_PYTHON": "", "ASCENDIFY_TORCH2_PYTHON": "python"}
    ended = run([sys.executable, "-c", code], given)
    assert ended.stdout.strip() == "['ASCENDIFY_TORCH2_PYTHON']"


def test_every_release_that_torch_npu_is_made_for_and_the_newest_in_both_builds() -> None:
    found = try_releases.every_torch()
    lines = [".".join(version.split(".")[:2]) for version in found if "+" not in version]
    assert lines == [f"2.{minor}" for minor in range(1, 16)]
    assert {version for version in found if "+" in version} == {
        f"{version}+cpu" for version in found if "+" not in version
    }


def test_reading_what_pytest_reports() -> None:
    report = """<testsuites><testsuite>
    <testcase classname="tests.emulation.test_a" name="good[x]@x"/>
    <testcase classname="tests.emulation.test_a" name="bad"><failure message="m"/></testcase>
    <testcase classname="tests.emulation.test_a" name="broken"><error message="m"/></testcase>
    <testcase classname="tests.emulation.test_a" name="out"><skipped/></testcase>
    </testsuite></testsuites>"""
    assert release_steps.outcomes(report) == {
        "test_a::good[x]": "passed",
        "test_a::bad": "failed",
        "test_a::broken": "failed",
        "test_a::out": "skipped",
    }


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data file of the test's own."""
    made = tmp_path / "releases.json"
    made.write_text('{"rows": []}', encoding="utf-8")
    monkeypatch.setattr(releases, "FILE", made)
    monkeypatch.setattr(releases, "RUNTIME_FILE", tmp_path / "tried.json")
    monkeypatch.setattr(releases.read, "__defaults__", (made,))
    return made


ROW = TriedRelease("torch", "2.13.0", "cpu", "3.11", "x86_64", "fast", "2.13.0")


def test_steps_that_were_not_tried_now_keep_their_figures(file: Path) -> None:
    opinfo, tests = OPINFO, SuiteResult(3, (), 0, "2026-01-02")
    try_releases.write(TriedRelease(*ROW.key, opinfo=opinfo))
    try_releases.write(TriedRelease(*ROW.key, tests=tests))
    assert releases.read() == [TriedRelease(*ROW.key, opinfo=opinfo, tests=tests)]


def test_a_release_without_a_row_is_admitted_while_it_is_tried(file: Path) -> None:
    def tried() -> dict[str, object]:
        text = (file.parent / "tried.json").read_text(encoding="utf-8")
        return dict(json.loads(text))

    newest = {"oldest": "2.13.0", "lines": ["2.13"]}
    both = {"oldest": "2.1.0", "lines": ["2.1", "2.13"]}
    older = TriedRelease("torch", "2.1.0", "cpu", "3.9", "x86_64", "fast")
    other = TriedRelease("tensorflow", "2.9.3", "cpu", "3.10", "x86_64")
    try_releases.write(TriedRelease(*ROW.key, opinfo=OPINFO, examples=EXAMPLES))
    with try_releases.admitted(older):
        assert tried() == {"torch": both}
    assert tried() == {"torch": newest}, "it got no row"
    with try_releases.admitted(older):
        try_releases.write(replace(older, opinfo=OPINFO, examples=EXAMPLES))
    assert tried() == {"torch": both}
    with try_releases.admitted(other):
        assert tried() == {"torch": both, "tensorflow": {"oldest": "2.9.3", "lines": ["2.9"]}}
        try_releases.write(replace(other, tests=SuiteResult(3, ("test_a",), 0, "2026-01-02")))
    assert tried() == {"torch": both}, "a test fails"


def test_a_path_that_is_no_longer_possible_loses_its_figures(file: Path) -> None:
    try_releases.write(TriedRelease(*ROW.key, opinfo=OPINFO))
    try_releases.write(TriedRelease(*ROW.key, note="it raises"))
    assert releases.read() == [TriedRelease(*ROW.key, note="it raises")]


def test_a_failing_step_is_a_figure(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'no module named expecttest' >&2\nexit 1\n")
    python.chmod(0o755)
    found = release_steps.try_opinfo(ROW, str(python))
    assert (found.passed, found.failed) == (0, ("did not run: no module named expecttest",))
    row = release_steps.with_path(ROW, str(python), "portable")
    assert (row.path, row.note) == ("portable", "no module named expecttest")


def test_an_interpreter_without_a_framework_is_reported_and_the_others_go_on(
    bare_python: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert try_releases.main(["--use", bare_python, "--use", bare_python]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "not tried: ModuleNotFoundError" in said[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "name releases with --torch", id="nothing"),
        pytest.param(["--all", "--steps", "tests,speed"], "--steps speed: there are", id="step"),
        pytest.param(["--all", "--where", str(ROOT / "x")], "inside the repository", id="folder"),
        pytest.param(["--all", "--path", "slow"], "invalid choice", id="path"),
    ],
)
def test_mistakes_on_the_command_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        try_releases.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def _disk(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    """Let every disk have so many bytes free, whatever this machine has."""
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)


def _folder_after(tmp_path: Path, keep: bool) -> bool:
    wanted = Wanted("torch", "0.0.0")
    made = release_environments.environment(wanted, tmp_path, "3.11", keep)
    with pytest.raises(NotPossibleError, match="not enough"), made:
        raise NotPossibleError("not enough")
    return (tmp_path / "torch-0.0.0").exists()


@pytest.mark.parametrize("keep", [False, True], ids=["removed", "kept"])
def test_the_environment_goes_away_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    def made(wanted: Wanted, folder: Path, python: str) -> str:
        folder.mkdir()
        return sys.executable

    _disk(monkeypatch, free=10**11)
    monkeypatch.setattr(release_environments, "_made", made)
    assert _folder_after(tmp_path, keep) is keep


def test_a_full_disk_is_reported_before_anything_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _disk(monkeypatch, free=10**9)
    assert try_releases.main(["--torch", "2.1.0", "--where", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "3.0 GB to download and 5.6 GB on disk; removed afterwards" in said.out
    assert "has only 1.0 GB free: name a folder with --where" in said.err


@pytest.mark.parametrize(
    ("framework", "file"),
    [("torch", "verified_torch_examples.py"), ("tensorflow", "verified_examples.py")],
)
def test_examples_that_need_something_exist(framework: str, file: str) -> None:
    text = (ROOT / "tests" / "support" / file).read_text(encoding="utf-8")
    named = release_steps.NEEDS[framework]
    assert named
    assert [name for name in named if f'"{name}": Example(' not in text] == []


def test_an_example_is_left_out_only_where_its_original_cannot_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def pytest_runs(row: object, python: str, workers: int, arguments: list[str]) -> dict[str, str]:
        ran.append(arguments)
        return {}

    monkeypatch.setattr(release_steps, "_pytest", pytest_runs)
    needs = {"old": ("Keras 2", "raise SystemExit(1)"), "new": ("Keras 2", "")}
    monkeypatch.setitem(release_steps.NEEDS, "tensorflow", needs)
    row = TriedRelease("tensorflow", "2.21.0", "cpu", "3.12", "x86_64")
    assert release_steps.try_examples(row, sys.executable, 1).needs == {"old": "Keras 2"}
    assert ["old" in part for part in ran[0]] == [False, True]
