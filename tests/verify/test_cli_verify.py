"""``ascendify verify`` from outside: programs that only print need no TensorFlow."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.emulation.paths import STARTUP
from support.commands import ascendify

PROGRAM = """\
import pathlib
pathlib.Path("written.txt").write_text("by the run")
for step in range(1, 6):
    print("step %d loss %.4f" % (step, 1.0 / step))
"""
PATTERN = r"step (?P<step>\d+) loss (?P<value>\S+)"


def projects(root: Path, migrated: str = PROGRAM, original: str = PROGRAM) -> tuple[Path, Path]:
    for name, source in (("original", original), ("migrated", migrated)):
        (root / name).mkdir()
        (root / name / "train.py").write_text(source)
    return root / "original", root / "migrated"


def verify(
    root: Path, folders: tuple[Path, Path], *options: str | Path
) -> subprocess.CompletedProcess[str]:
    command = ("--", sys.executable, "train.py")
    return ascendify("verify", *folders, "--log-dir", root / "logs", *options, *command)


def test_twins_agree_and_nothing_of_the_users_is_written(tmp_path: Path) -> None:
    folders = projects(tmp_path)
    json_file, png_file = tmp_path / "v.json", tmp_path / "v.png"
    options = ("--pattern", PATTERN, "--json", json_file, "--png", png_file)
    done = verify(tmp_path, folders, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout
    assert [path.name for path in folders[0].iterdir()] == ["train.py"]
    reported = json.loads(json_file.read_text())
    assert (reported["result"], reported["exit_code"], reported["reasons"]) == ("pass", 0, [])
    assert reported["series"][0]["points"]["original"][0] == [1, 1.0]
    assert png_file.read_bytes().startswith(b"\x89PNG")


def test_an_altered_twin_is_reported_at_its_step(tmp_path: Path) -> None:
    altered = PROGRAM.replace("1.0 / step", "1.0 / (step + (step == 4))")
    done = verify(tmp_path, projects(tmp_path, altered), "--pattern", PATTERN)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "loss differs from step 4 on: 0.25 in the original, 0.2 after" in done.stdout


def test_an_original_that_does_not_repeat_itself_is_reported(tmp_path: Path) -> None:
    noise = "import os\n" + PROGRAM.replace("1.0 / step", "int.from_bytes(os.urandom(4), 'big')")
    done = verify(tmp_path, projects(tmp_path, noise, noise), "--pattern", PATTERN)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the original does not repeat itself: loss differs from step 1 on" in done.stdout


def test_a_migrated_project_that_runs_the_original_proves_nothing(tmp_path: Path) -> None:
    original, migrated = projects(tmp_path, "import part\n", "import part\n")
    for folder, name in ((original, "a"), (migrated, "b")):
        library = folder / "lib"
        library.mkdir()
        (library / "part.py").write_text(f"{PROGRAM}# {name}\n")
    command = ("--pattern", PATTERN, "--", sys.executable, "train.py")
    for path, code in ((str(original / "lib"), 1), ("lib", 0)):
        done = ascendify("verify", original, migrated, *command, variables={"PYTHONPATH": path})
        assert done.returncode == code, done.stdout + done.stderr
        assert (f"ran {original}/lib/part.py instead of its own lib/part.py" in done.stdout) == code


def test_a_wider_tolerance(tmp_path: Path) -> None:
    altered = PROGRAM.replace("1.0 / step", "1.01 / step")
    options = ("--pattern", PATTERN, "--rtol", "0.02")
    assert verify(tmp_path, projects(tmp_path, altered), *options).returncode == 0


@pytest.mark.parametrize(
    ("which", "code", "expected"),
    [("original", 3, "THE ORIGINAL FAILED"), ("migrated", 4, "THE MIGRATED PROJECT FAILED")],
)
def test_a_side_that_crashes(tmp_path: Path, which: str, code: int, expected: str) -> None:
    folders = projects(tmp_path, **{which: "raise ValueError('no luck')\n"})
    done = verify(tmp_path, folders, "--pattern", PATTERN)
    assert done.returncode == code, done.stdout + done.stderr
    assert expected in done.stdout
    assert "ValueError: no luck" in done.stdout
    assert f"{which}-logs" in done.stdout


def test_out_of_time(tmp_path: Path) -> None:
    folders = projects(tmp_path, "import time\nprint('begun')\ntime.sleep(600)\n")
    done = verify(tmp_path, folders, "--pattern", PATTERN, "--timeout", "8")
    assert done.returncode == 5, done.stdout + done.stderr
    assert "the migrated project was stopped after 8 s" in done.stdout
    assert "| begun" in done.stdout


def test_start_up_code_that_fails_is_blamed_for_a_missing_loss(tmp_path: Path) -> None:
    line = 'ascendify: after import of torch: AttributeError("no attribute x")'
    folders = projects(tmp_path, PROGRAM, f"print({line!r})")
    done = verify(tmp_path, folders)
    assert done.returncode == 6, done.stdout + done.stderr
    assert f"this failure is ascendify's own, not your project's: {line}" in done.stdout
    assert "please report it" in done.stdout


def test_no_loss_says_what_to_do(tmp_path: Path) -> None:
    done = verify(tmp_path, projects(tmp_path))
    assert done.returncode == 6, done.stdout + done.stderr
    assert "the original project recorded no loss" in done.stdout
    assert "--pattern" in done.stdout


def test_usage_errors_have_no_traceback(tmp_path: Path) -> None:
    folders = projects(tmp_path)
    done = ascendify("verify", *folders)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no command for the original\nhint: ")


def test_two_ranks_have_the_loss_of_one_process_together(tmp_path: Path) -> None:
    migrated = "import os\nshift = 0.1 if os.environ['RANK_ID'] == '1' else -0.1\n" + (
        PROGRAM.replace("1.0 / step", "1.0 / step + shift")
    )
    done = verify(tmp_path, projects(tmp_path, migrated), "--pattern", PATTERN, "--devices", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the mean over 2 ranks is compared with the one process" in done.stdout


def test_migrate_and_verify_in_one_go(tmp_path: Path) -> None:
    original, _ = projects(tmp_path)
    output = tmp_path / "npu"
    # Only printed numbers, so no loss is found: the code of verify is the code of it all.
    options = ("-o", output, "--verify", f"{sys.executable} train.py")
    done = ascendify("migrate", original, *options)
    assert done.returncode == 6, done.stdout + done.stderr
    assert (output / "train.py").is_file()
    refused = ascendify("migrate", original, "--diff", "--verify", "python train.py")
    assert refused.returncode == 2
    assert "--verify needs both projects" in refused.stderr


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('python "train.py', "--verify cannot be read"),
        ("python not_there.py", "not_there.py does not exist"),
        ("/not/there/python train.py", "/not/there/python does not exist"),
    ],
)
def test_nothing_is_written_when_it_could_not_be_verified(
    command: str, expected: str, tmp_path: Path
) -> None:
    original, _ = projects(tmp_path)
    refused = ascendify("migrate", original, "-o", tmp_path / "npu", "--verify", command)
    assert refused.returncode == 2
    assert expected in refused.stderr
    assert not (tmp_path / "npu").exists()


def python(source: str, *path: Path, **environment: str) -> list[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ASCENDIFY_")}
    done = subprocess.run(
        (sys.executable, "-c", source),
        env={**kept, "PYTHONPATH": os.pathsep.join(map(str, path)), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_users_own_sitecustomize_runs_first(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import random\nMINE = random.random()\n")
    source = "import sitecustomize, random\nprint(sitecustomize.MINE)\nprint(random.random())"
    reported = python(source, STARTUP, tmp_path, ASCENDIFY_SEED="5")
    assert reported[1] == str(random.Random(5).random())
    assert reported[0] != reported[1]


def test_without_our_variables_nothing_is_loaded() -> None:
    source = "import sys\nprint('ascendify_startup' in sys.modules)"
    assert python(source, STARTUP) == ["False"]


def test_ranks_have_seeds_of_their_own() -> None:
    source = "import random\nprint(random.random())"
    reported = [
        python(source, STARTUP, ASCENDIFY_SEED="5", **rank)
        for rank in ({"HOROVOD_RANK": "1"}, {"RANK_ID": "1"}, {"RANK_ID": "0"})
    ]
    assert reported[0] == reported[1] == [str(random.Random(6).random())]
    assert reported[2] == [str(random.Random(5).random())]
