"""What is run on each side, and what is refused before anything runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ascendify.errors import UsageError
from ascendify.rules.tf1._same_order import SHARED_SEED
from ascendify.verify.request import DEFAULT_SEED, VerifyRequest, check, commands

CD = "cd src && python train.py"
IN_SHELL = ("sh", "-c", CD)
TRAIN = ("python", "train.py")


@pytest.mark.parametrize(
    ("common", "original", "migrated", "devices", "expected"),
    [
        pytest.param(TRAIN, None, None, None, (TRAIN, TRAIN, 1), id="one-for-both"),
        pytest.param("python 'train.py'", None, None, None, (TRAIN, TRAIN, 1), id="as-text"),
        pytest.param(CD, None, None, None, (IN_SHELL, IN_SHELL, 1), id="text-of-a-shell"),
        pytest.param(
            "python 'train.py' '--tag=a && b'",
            None,
            None,
            None,
            ((*TRAIN, "--tag=a && b"), (*TRAIN, "--tag=a && b"), 1),
            id="quoted-operators",
        ),
        pytest.param(TRAIN, None, None, 2, (TRAIN, TRAIN, 2), id="devices"),
        pytest.param(
            ("horovodrun", "-np", "2", *TRAIN),
            None,
            None,
            None,
            (("horovodrun", "-np", "2", *TRAIN), TRAIN, 2),
            id="launcher-is-the-originals",
        ),
        pytest.param(
            ("mpirun", "-H", "a:1", "-n", "4", "-x", "PATH", *TRAIN),
            None,
            None,
            None,
            (("mpirun", "-H", "a:1", "-n", "4", "-x", "PATH", *TRAIN), TRAIN, 4),
            id="mpi",
        ),
        pytest.param(
            (),
            "horovodrun -np 2 python train.py",
            "python train.py",
            None,
            (("horovodrun", "-np", "2", *TRAIN), TRAIN, 2),
            id="one-each",
        ),
        pytest.param(
            TRAIN, None, "python npu.py", None, (TRAIN, ("python", "npu.py"), 1), id="one-differs"
        ),
    ],
)
def test_commands(
    common: tuple[str, ...] | str,
    original: str | None,
    migrated: str | None,
    devices: int | None,
    expected: tuple[tuple[str, ...], tuple[str, ...], int],
) -> None:
    assert commands(common, original, migrated, devices) == expected


def test_a_side_without_a_command() -> None:
    with pytest.raises(UsageError, match="no command for the migrated project"):
        commands((), "python train.py", None, None)


def two_projects(root: Path) -> tuple[Path, Path]:
    for name in ("a", "b"):
        (root / name).mkdir()
        (root / name / "train.py").write_text("")
    return root / "a", root / "b"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"original": Path("missing")}, "missing is not a folder", id="no-folder"),
        pytest.param({"devices": 0}, "leaves nothing to run", id="no-device"),
        pytest.param({"soc": "910C"}, "--soc 910C is no hardware", id="hardware"),
        pytest.param({"timeout": 0.0}, "over at once", id="no-time"),
        pytest.param({"pattern": "("}, "no regular expression", id="broken-pattern"),
        pytest.param({"pattern": "loss"}, "no group named value", id="pattern-without-value"),
        pytest.param(
            {"migrated_command": (sys.executable, "other.py")},
            "other.py does not exist",
            id="script",
        ),
        pytest.param(
            {"migrated_command": (sys.executable, "-I", "train.py")},
            "ignores PYTHONPATH",
            id="isolated",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    original, migrated = two_projects(tmp_path)
    run = (sys.executable, "train.py")
    values: dict[str, object] = {
        "original": original,
        "migrated": migrated,
        "original_command": run,
        "migrated_command": run,
        **changes,
    }
    with pytest.raises(UsageError, match=message):
        check(VerifyRequest(**values), lambda _: None)  # type: ignore[arg-type] # a table of any field


def test_an_unknown_release_of_torch_npu_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, migrated = two_projects(tmp_path)
    run = (sys.executable, "train.py")
    monkeypatch.setenv("ASCENDIFY_TORCH_NPU", "latest")
    with pytest.raises(UsageError, match="ASCENDIFY_TORCH_NPU is 'latest'"):
        check(VerifyRequest(original, migrated, run, run), lambda _: None)


@pytest.mark.parametrize(("soc", "warnings"), [(None, 1), ("910A", 1), ("910B", 0), ("A3", 0)])
def test_numbers_of_devices_that_hardware_takes(
    tmp_path: Path, soc: str | None, warnings: int
) -> None:
    run = (sys.executable, "train.py")
    reported: list[str] = []
    check(VerifyRequest(*two_projects(tmp_path), run, run, devices=3, soc=soc), reported.append)
    assert len(reported) == warnings


def test_the_same_folder_twice_and_a_full_log_folder(tmp_path: Path) -> None:
    original, migrated = two_projects(tmp_path)
    run = (sys.executable, "train.py")
    with pytest.raises(UsageError, match="are both"):
        check(VerifyRequest(original, original, run, run), lambda _: None)
    with pytest.raises(UsageError, match="not an empty folder"):
        check(VerifyRequest(original, migrated, run, run, folder=tmp_path), lambda _: None)
    with pytest.raises(UsageError, match="is inside"):
        check(VerifyRequest(original, migrated, run, run, folder=original / "logs"), lambda _: None)


def test_ranks_of_a_port_begin_with_the_seed_of_the_original() -> None:
    """Else two ranks would draw other batches than the original that they are compared with."""
    assert DEFAULT_SEED == SHARED_SEED
