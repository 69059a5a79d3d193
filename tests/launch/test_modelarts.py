"""``launch --data_url --train_url``: data come from an address, what is written goes to another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import ascendify
from support.launches import PATIENCE
from support.processes import wait_until

PYTHON = sys.executable
TRAIN = """
import os, sys
data, output = sys.argv[1:3]
assert (data, output) == (os.environ["DATA_PATH"], os.environ["OUTPUT_PATH"])
rank = os.environ["RANK_ID"]
text = open(os.path.join(data, "train", "a b.txt")).read()
os.makedirs(os.path.join(output, "ckpt"), exist_ok=True)
with open(os.path.join(output, "ckpt", f"model-{rank}"), "w") as file:
    file.write(text * 2)
print("rank", rank, "trained")
if "fail" in sys.argv:
    sys.exit(7)
"""
PLACES = ("train.py", "{data}", "{output}")
MOXING = """
\"\"\"Object storage that is a folder, and records every copy.\"\"\"
import os, shutil

def _local(path):
    scheme, found, rest = path.partition("://")
    return os.path.join(os.environ["BUCKETS"], rest) if found else path

class file:
    @staticmethod
    def exists(path):
        return os.path.exists(_local(path))

    @staticmethod
    def make_dirs(path):
        if "forbidden" in path:
            raise PermissionError("403 " + path)
        os.makedirs(_local(path), exist_ok=True)

    @staticmethod
    def copy_parallel(source, target):
        with open(os.environ["BUCKETS"] + "/copies", "a") as record:
            record.write("copy\\n")
        shutil.copytree(_local(source), _local(target), dirs_exist_ok=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A script, data for it, and a place for temporary files that can be looked into."""
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "my data" / "train").mkdir(parents=True)
    (tmp_path / "my data" / "train" / "a b.txt").write_text("seven")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def launch(project: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    variables = {"TMPDIR": str(project / "tmp"), **variables}
    return ascendify(
        "launch", "--log-dir", project / "logs", *arguments, cwd=project, variables=variables
    )


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("data", "train"),
    [
        pytest.param(("--data_url", "my data"), ("--train_url", "out"), id="as-ModelArts-spells"),
        pytest.param(("--data-url", "my data"), ("--train-url", "out"), id="as-shells-do"),
        pytest.param(("--data_url=my data/",), ("--train_url=out/",), id="equals"),
        pytest.param(
            ("--data_url", "file://{here}/my%20data"), ("--train_url", "file://{here}/out"),
            id="file-addresses",
        ),
    ],
)  # fmt: skip
def test_folders(project: Path, data: tuple[str, ...], train: tuple[str, ...]) -> None:
    arguments = [argument.replace("{here}", str(project)) for argument in (*data, *train)]
    ended = launch(project, *arguments, "-n", "2", "--", PYTHON, *PLACES)
    assert ended.returncode == 0, ended.stderr
    assert (project / "out" / "ckpt" / "model-1").read_text() == "sevenseven"
    assert {"ckpt/model-0", "ckpt/model-1", "logs/rank-0.log", "logs/rank-1.log"} <= set(
        tree(project / "out")
    )
    assert list((project / "tmp").iterdir()) == []
    assert not [name for name in tree(project / "out") if ".part" in name]


def test_a_file_as_data(project: Path) -> None:
    (project / "show.py").write_text("import os; print(os.listdir(os.environ['DATA_PATH']))")
    file = str(project / "my data" / "train" / "a b.txt")
    ended = launch(project, "--data_url", file, "--", PYTHON, "show.py")
    assert ended.stdout == "['a b.txt']\n", ended.stderr


def test_a_failure_is_copied_too(project: Path) -> None:
    arguments = ("--data_url", "my data", "--train_url", "out")
    ended = launch(project, *arguments, "--", PYTHON, *PLACES, "fail")
    assert ended.returncode == 3
    assert "exit code 7" in ended.stderr
    assert (project / "out" / "ckpt" / "model-0").read_text() == "sevenseven"
    assert "rank 0 trained" in (project / "out" / "logs" / "rank-0.log").read_text()


def test_what_was_there_stays_and_is_replaced_whole(project: Path) -> None:
    (project / "out" / "ckpt").mkdir(parents=True)
    (project / "out" / "ckpt" / "model-0").write_text("an older and longer one")
    (project / "out" / "notes.txt").write_text("mine")
    arguments = ("--data_url", "my data", "--train_url", "out")
    assert launch(project, *arguments, "--", PYTHON, *PLACES).returncode == 0
    assert (project / "out" / "ckpt" / "model-0").read_text() == "sevenseven"
    assert (project / "out" / "notes.txt").read_text() == "mine"


def test_an_interruption_is_copied_too(project: Path) -> None:
    source = "import os, time\nopen(os.environ['OUTPUT_PATH'] + '/half', 'w').write('x')\n"
    (project / "train.py").write_text(source + "open('started', 'w')\ntime.sleep(600)\n")
    running = subprocess.Popen(
        (PYTHON, "-m", "ascendify", "launch", "--train_url", "out", "--", PYTHON, "train.py"),
        cwd=project,
        env={**os.environ, "TMPDIR": str(project / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until((project / "started").exists)
    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE) == 130
    assert (project / "out" / "half").read_text() == "x"


def test_links_are_copied_as_what_they_lead_to(project: Path) -> None:
    source = """
    import os
    os.chdir(os.environ["OUTPUT_PATH"])
    open("epoch-3", "w").write("weights")
    os.symlink("epoch-3", "latest")
    os.symlink(".", "again")
    os.symlink("nowhere", "broken")
    """
    (project / "train.py").write_text("\n".join(line.strip() for line in source.split("\n")))
    ended = launch(project, "--train_url", "out", "--", PYTHON, "train.py")
    assert ended.returncode == 0, ended.stderr
    assert (project / "out" / "latest").read_text() == "weights"
    assert [name for name in tree(project / "out") if not name.startswith("logs")] == [
        "epoch-3",
        "latest",
    ]


def test_servers_do_not_write_over_each_other(project: Path) -> None:
    arguments = ("--hosts", "10.0.0.1:1,10.0.0.2:1", "--data_url", "my data", "--train_url", "out")
    for server in ("0", "1"):
        ended = launch(project, *arguments, "--server", server, "--", PYTHON, *PLACES)
        assert ended.returncode == 0, ended.stderr
    assert {"ckpt/model-0", "server-1/ckpt/model-1"} <= set(tree(project / "out"))


# --- object storage --------------------------------------------------------------------------


@pytest.fixture
def buckets(project: Path) -> dict[str, str]:
    """An interpreter with moxing, and a bucket with data."""
    (project / "site").mkdir()
    (project / "site" / "moxing.py").write_text(MOXING)
    (project / "buckets").mkdir()
    (project / "my data").rename(project / "buckets" / "bucket")
    return {"PYTHONPATH": str(project / "site"), "BUCKETS": str(project / "buckets")}


@pytest.mark.parametrize("scheme", ["obs", "s3"])
def test_object_storage(project: Path, buckets: dict[str, str], scheme: str) -> None:
    arguments = ("--data_url", f"{scheme}://bucket", "--train_url", f"{scheme}://results/run 1/")
    ended = launch(project, *arguments, "-n", "2", "--", PYTHON, *PLACES, **buckets)
    assert ended.returncode == 0, ended.stderr
    results = project / "buckets" / "results" / "run 1"
    assert {"ckpt/model-0", "ckpt/model-1", "logs/rank-1.log"} <= set(tree(results))
    # the data once, however many ranks there are; then the output and the logs
    assert (project / "buckets" / "copies").read_text().split() == ["copy"] * 3


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        pytest.param(
            ("--data_url", "nowhere"), "--data_url nowhere does not exist", "name a folder",
            id="no-such-folder",
        ),
        pytest.param(
            ("--data_url", "ftp://host/data"), "ftp://host/data is no address", "obs://bucket",
            id="another-kind-of-address",
        ),
        pytest.param(
            ("--data_url", "obs://other"), "--data_url obs://other does not exist", "name what",
            id="no-such-bucket",
        ),
        pytest.param(
            ("--train_url", "obs://forbidden"), "moxing failed: PermissionError: 403", "message",
            id="not-allowed",
        ),
        pytest.param(
            ("--train_url", "train.py/out"), "--train_url train.py/out: Not a directory", "reach",
            id="target-below-a-file",
        ),
        pytest.param(
            ("--data_url", "obs://bucket", "-e", "ssh", "--hosts", "a:1,b:1"),
            "the engine ssh starts ranks on others", "--engine local", id="engine-for-all-servers",
        ),
    ],
)  # fmt: skip
def test_wrong_addresses_are_reported_before_anything_runs(
    project: Path, buckets: dict[str, str], arguments: tuple[str, ...], message: str, hint: str
) -> None:
    (project / "train.py").write_text("open('ran', 'w')")
    ended = launch(project, *arguments, "--", PYTHON, "train.py", **buckets)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert hint in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (project / "ran").exists()
    assert list((project / "tmp").iterdir()) == []


def test_an_interpreter_without_moxing(project: Path) -> None:
    ended = launch(project, "--data_url", "obs://bucket/data", "--", PYTHON, *PLACES[:2])
    assert ended.returncode == 2
    assert "has no moxing" in ended.stderr


def test_a_place_that_is_not_given(project: Path) -> None:
    ended = launch(project, "--data_url", "my data", "--", PYTHON, *PLACES)
    assert ended.returncode == 2
    assert "{output} in the command needs --train_url" in ended.stderr


def test_without_addresses_braces_are_the_users(project: Path) -> None:
    (project / "show.py").write_text("import sys; print(sys.argv[1])")
    ended = launch(project, "--", PYTHON, "show.py", "{data}")
    assert ended.stdout == "{data}\n", ended.stderr


def test_output_that_cannot_be_copied_is_kept(project: Path) -> None:
    source = "import os, shutil\nopen(os.environ['OUTPUT_PATH'] + '/model', 'w').write('x')\n"
    (project / "train.py").write_text(source + "shutil.rmtree('out'); open('out', 'w')\n")
    ended = launch(project, "--train_url", "out", "--", PYTHON, "train.py")
    assert ended.returncode == 2
    assert "the output could not be copied to out" in ended.stderr
    (kept,) = (project / "tmp").glob("ascendify-*/output/model")
    assert str(kept.parent) in ended.stderr


def test_a_dry_run_copies_nothing(project: Path) -> None:
    arguments = ("--data_url", "my data", "--train_url", "out", "--dry-run")
    ended = launch(project, *arguments, "--", PYTHON, *PLACES)
    assert "DATA_PATH=" in ended.stdout
    assert not (project / "out").exists()
    assert list((project / "tmp").iterdir()) == []
    assert json.dumps(ended.stdout).count("{data}") == 0
