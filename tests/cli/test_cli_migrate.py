"""``ascendify migrate``: exit codes, what it hands to the pipeline, the vendor's own flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.findings import Status
from ascendify.migrate.settings import Settings
from ascendify.reports.model import Report
from support.made_reports import made_up


def pipeline(monkeypatch: pytest.MonkeyPatch, report: Report) -> list[Settings]:
    """Stand in for ``ascendify.migrate.migrate``; the list gets the settings of every run."""
    runs: list[Settings] = []

    def stand_in(settings: Settings, progress: object, process_ends: bool = False) -> Report:
        runs.append(settings)
        return report

    monkeypatch.setattr("ascendify.migrate.pipeline.migrate", stand_in, raising=False)
    return runs


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a project in ``src``."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("report", "args", "code"),
    [
        pytest.param(made_up([Status.BLOCKER]), "-o out", 0, id="written"),
        pytest.param(made_up([Status.AUTO]), "-o out --fail-under 100", 0, id="score-reached"),
        pytest.param(made_up([Status.BLOCKER]), "-o out --fail-under 50", 1, id="score-missed"),
        pytest.param(made_up(changed=True), "--diff", 1, id="diff-with-changes"),
        pytest.param(made_up([Status.BLOCKER]), "--diff", 0, id="diff-without-changes"),
    ],
)
def test_exit_code(
    monkeypatch: pytest.MonkeyPatch, here: Path, report: Report, args: str, code: int
) -> None:
    pipeline(monkeypatch, report)
    assert main(["migrate", "src", *args.split()]) == code


@pytest.mark.parametrize(
    "args",
    [
        "migrate -i src -o out -r reports -m train.py -d horovod",
        "migrate --input src --output out --report reports --main train.py"
        " --distributed_mode horovod",
        "migrate src -o out -r reports -m src/train.py --distributed horovod",
    ],
    ids=["vendor-short", "vendor-long", "ours"],
)
def test_the_vendors_flags_are_ours(monkeypatch: pytest.MonkeyPatch, here: Path, args: str) -> None:
    runs = pipeline(monkeypatch, made_up())
    assert main(args.split()) == 0
    (settings,) = runs
    assert (settings.paths, settings.output) == ((here / "src",), here / "out")
    assert (str(settings.main), settings.distributed) == ("train.py", "horovod")
    assert (here / "reports" / "report.json").is_file()


@pytest.mark.parametrize(
    ("args", "fields"),
    [
        pytest.param("--in-place", {"in_place": True, "output": None}, id="in-place"),
        pytest.param("--in-place --force", {"force": True}, id="force"),
        pytest.param("--diff", {"diff": True, "output": None}, id="diff"),
        pytest.param("-o out --vendor-style", {"vendor_style": True}, id="vendor-style"),
        pytest.param("-o out -d none", {"distributed": "none"}, id="not-distributed"),
        pytest.param(
            "-o out --precision-mode allow_mix_precision --loss-scale dynamic",
            {"npu": {"precision_mode": "allow_mix_precision", "loss_scale": "dynamic"}},
            id="npu-flags",
        ),
        pytest.param(
            "-o out --npu iterations-per-loop=10 --npu hcom_parallel=off",
            {"npu": {"iterations_per_loop": 10, "hcom_parallel": False}},
            id="npu-pairs",
        ),
    ],
)
def test_options_reach_the_pipeline(
    monkeypatch: pytest.MonkeyPatch, here: Path, args: str, fields: dict[str, object]
) -> None:
    runs = pipeline(monkeypatch, made_up())
    assert main(["migrate", "src", *args.split()]) == 0
    assert {name: getattr(runs[0], name) for name in fields} == fields


def test_a_diff_writes_no_report(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    pipeline(monkeypatch, made_up(changed=True))
    assert main(["migrate", "src", "--diff"]) == 1
    assert [path.name for path in here.iterdir()] == ["src"]
