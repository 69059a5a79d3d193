"""``ascendify check``: exit codes, and what it hands to the pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.findings import Effort, Status
from ascendify.migrate.settings import Settings
from ascendify.reports.model import Report
from support.commands import ascendify
from support.made_reports import made_up
from support.projects import write_project


class Pipeline:
    """Stands in for ``pipeline.check``: remembers the settings, returns the report."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.settings = Settings(paths=())

    def __call__(
        self,
        settings: Settings,
        progress: object,
        cache: object = None,
        process_ends: bool = False,
    ) -> Report:
        self.settings = settings
        return self.report


def pipeline(monkeypatch: pytest.MonkeyPatch, report: Report) -> Pipeline:
    stand_in = Pipeline(report)
    monkeypatch.setattr("ascendify.migrate.pipeline.check", stand_in, raising=False)
    return stand_in


@pytest.mark.parametrize(
    ("report", "args", "code"),
    [
        pytest.param(made_up(), [], 0, id="nothing"),
        pytest.param(made_up([Status.INFO]), [], 0, id="information-only"),
        pytest.param(made_up([Status.AUTO]), [], 1, id="something-to-rewrite"),
        pytest.param(made_up([Status.BLOCKER]), [], 1, id="blocker"),
        pytest.param(made_up(unreadable=True), [], 1, id="unreadable-file"),
        pytest.param(made_up([Status.AUTO]), ["--fail-under", "100"], 0, id="score-reached"),
        pytest.param(made_up([Status.BLOCKER]), ["--fail-under", "50"], 1, id="score-missed"),
        pytest.param(
            made_up(efforts=[Effort.REWRITE]), ["--fail-under", "10"], 0, id="score-counts-alone"
        ),
    ],
)
def test_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, report: Report, args: list[str], code: int
) -> None:
    pipeline(monkeypatch, report)
    assert main(["check", str(tmp_path), *args]) == code


def test_the_project_may_set_the_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ascendify]\nfail-under = 50\n")
    pipeline(monkeypatch, made_up([Status.AUTO]))
    assert main(["check", str(tmp_path)]) == 0


def test_options_reach_the_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "models").mkdir()
    stand_in = pipeline(monkeypatch, made_up())
    monkeypatch.setattr("ascendify.migrate.settings.codes", lambda: ("TF1-SESS-1", "HVD-1"))
    args = "--select TF1,hvd --select TF1-SESS --ignore HVD-1 --exclude a/*,b --main train.py"
    more = "--distributed horovod --jobs 2 --fail-under 7 --quiet"
    paths = [str(tmp_path / "models"), str(tmp_path / "train.py")]
    assert main(["check", *paths, *args.split(), *more.split()]) == 0
    settings = stand_in.settings
    assert settings.paths == (tmp_path / "models", tmp_path / "train.py")
    assert settings.select == ("TF1", "HVD", "TF1-SESS")
    assert settings.ignore == ("HVD-1",)
    assert settings.exclude == ("a/*", "b")
    assert str(settings.main) == "train.py"
    assert (settings.distributed, settings.jobs, settings.fail_under) == ("horovod", 2, 7)


def test_the_current_folder_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    stand_in = pipeline(monkeypatch, made_up())
    assert main(["check"]) == 0
    assert stand_in.settings.paths == (tmp_path,)


def test_unknown_rule_names_the_closest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("ascendify.migrate.settings.codes", lambda: ("TF1-SESS-1", "HVD-1"))
    assert main(["check", str(tmp_path), "--select", "TF1-SES"]) == 2
    assert "did you mean TF1-SESS?" in capsys.readouterr().err


def test_warnings_stay_off_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.ascendify.npu]\nprecision-mode = "allow_mix_precision_bf16"\n'
    )
    pipeline(monkeypatch, made_up())
    assert main(["check", str(tmp_path), "--output-format", "json"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("warning: precision_mode=allow_mix_precision_bf16")
    assert json.loads(captured.out)


# --- the cache -------------------------------------------------------------------------------


def _records(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.record"))


def test_results_are_kept_in_the_users_folder_for_caches(tmp_path: Path) -> None:
    write_project(tmp_path / "project")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    first, second = (
        ascendify("check", "project", cwd=tmp_path, variables=variables) for _ in range(2)
    )
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert [file.parent for file in _records(tmp_path)] == [tmp_path / "caches/ascendify/check"]


@pytest.mark.parametrize(
    ("options", "kept"),
    [(["--no-cache"], []), (["--cache-dir", "here"], ["here/.ascendify_cache"])],
    ids=["no-cache", "cache-dir"],
)
def test_where_results_are_kept(tmp_path: Path, options: list[str], kept: list[str]) -> None:
    write_project(tmp_path / "project")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    assert (
        ascendify("check", "project", *options, cwd=tmp_path, variables=variables).returncode == 1
    )
    found = [file.parent.relative_to(tmp_path).as_posix() for file in _records(tmp_path)]
    assert found == kept


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    write_project(tmp_path / "project")
    (tmp_path / "file").write_text("")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    result = ascendify("check", "project", cwd=tmp_path, variables=variables)
    assert (result.returncode, result.stderr) == (1, "")
