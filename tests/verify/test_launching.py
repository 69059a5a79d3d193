"""Who starts the ranks of an original."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ascendify.errors import UsageError
from ascendify.verify.original_launcher import OriginalLaunch, choose_launch, uses_horovod

PYTHON = str(Path(sys.executable))
TRAIN = (PYTHON, "train.py")
LAUNCHED = ("horovodrun", "-np", "2", *TRAIN)
MPI = ("mpirun", "-np", "2", *TRAIN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "horovod").mkdir(parents=True)  # no package: a folder that happens to be called so
    (folder / "train.py").write_text("import os\nimport horovod.tensorflow as hvd\n")
    return folder


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return folder


def has(commands: Path, name: str) -> str:
    program = commands / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


def install_horovod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "installed" / "horovod"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(package.parent))


@pytest.mark.parametrize(
    ("command", "devices", "expected"),
    [
        pytest.param(TRAIN, 1, OriginalLaunch(TRAIN), id="one-rank"),
        pytest.param(TRAIN, 2, OriginalLaunch(TRAIN, 2), id="we-start-them"),
        pytest.param(LAUNCHED, 2, OriginalLaunch(TRAIN, 2), id="launcher-is-missing"),
        pytest.param(MPI, 4, OriginalLaunch(TRAIN, 4), id="another-number-of-ranks"),
        pytest.param(("bash", "run.sh"), 2, OriginalLaunch(("bash", "run.sh"), 2), id="a-shell"),
        pytest.param(
            ("mpirun", "-np", "2", "./train"),
            2,
            OriginalLaunch(("mpirun", "-np", "2", "./train"), stand_in=False),
            id="an-unknown-program",
        ),
    ],
)
@pytest.mark.usefixtures("commands")
def test_without_horovod(
    project: Path, command: tuple[str, ...], devices: int, expected: OriginalLaunch
) -> None:
    assert choose_launch(command, devices, project) == expected


def test_programs_without_horovod_are_one_process(project: Path) -> None:
    (project / "train.py").write_text("# import horovod is what it does not\n")
    assert choose_launch(TRAIN, 2, project) == OriginalLaunch(TRAIN)


def test_a_launcher_that_is_there_is_used(
    project: Path, commands: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = has(commands, "horovodrun")
    with_path = ("horovodrun", "-x", "PYTHONPATH=/elsewhere", *TRAIN)
    assert choose_launch(with_path, 2, project) == OriginalLaunch(with_path, stand_in=False)
    shell = ("horovodrun", "-np", "2", "bash", "run.sh")
    assert choose_launch(shell, 2, project) == OriginalLaunch(shell, stand_in=False)
    # it can only start what fails
    assert choose_launch(LAUNCHED, 2, project) == OriginalLaunch(TRAIN, 2)
    install_horovod(tmp_path, monkeypatch)
    assert choose_launch(LAUNCHED, 2, project) == OriginalLaunch(LAUNCHED, stand_in=False)
    assert choose_launch(TRAIN, 2, project) == OriginalLaunch(
        (launcher, "-np", "2", *TRAIN), stand_in=False
    )


def test_an_installed_horovod_needs_its_launcher(
    project: Path, commands: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_horovod(tmp_path, monkeypatch)
    for command in (TRAIN, LAUNCHED):
        with pytest.raises(UsageError, match="horovodrun is not found"):
            choose_launch(command, 2, project)
    assert choose_launch(TRAIN, 1, project) == OriginalLaunch(TRAIN)
    assert not list(commands.iterdir())


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", "from horovod import tensorflow", True),
        ("deep/a.py", "try:\n    import horovod.keras as hvd\nexcept ImportError:\n    pass", True),
        ("a.py", "import horovod_utils", False),
        ("a.txt", "import horovod", False),
        (".venv/a.py", "import horovod", False),
        ("env/lib/site-packages/a.py", "import horovod", False),
    ],
)
def test_uses_horovod(tmp_path: Path, name: str, text: str, expected: bool) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    (tmp_path / "broken.py").symlink_to("nowhere")
    assert uses_horovod(tmp_path) is expected


@pytest.mark.parametrize(
    ("source", "command", "expected"),
    [
        ("import torch\n", "python train.py", ("python train.py", 1, False)),
        ("dist.init_process_group('nccl')\n", "python train.py", ("python train.py", 2, True)),
        (
            "from accelerate import Accelerator\n",
            "python train.py",
            ("python train.py", 2, True),
        ),
        (
            "import torch.multiprocessing as mp\nmp.spawn(print)\ninit_process_group('nccl')\n",
            "python train.py",
            ("python train.py", 1, False),
        ),
        (
            "dist.init_process_group('nccl')\n",
            "torchrun --nproc_per_node=2 train.py",
            ("torchrun --nproc_per_node=2 train.py", 1, False),
        ),
    ],
    ids=["one process", "process group", "accelerate", "spawns its ranks", "torchrun"],
)
def test_ranks_of_pytorch(
    source: str, command: str, expected: tuple[str, int, bool], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(source)
    found = choose_launch(tuple(command.split()), 2, tmp_path)
    assert (" ".join(found.command), found.ranks, found.like_torchrun) == expected


SPAWNS = """
import os
import torch.multiprocessing as mp
if "WORLD_SIZE" in os.environ:
    print(os.environ["RANK"])
else:
    mp.spawn(print)
"""


@pytest.mark.parametrize(
    ("once", "text", "ranks"),
    [
        pytest.param(None, SPAWNS, 1, id="spawns"),
        pytest.param(False, SPAWNS, 2, id="takes its rank from the environment instead"),
        pytest.param(None, "import os\nprint(os.environ['LOCAL_RANK'])\n", 2, id="LOCAL_RANK"),
        pytest.param(None, "init_device_mesh('cuda', (2,))\n", 2, id="device mesh"),
        pytest.param(True, "init_process_group('nccl')\n", 1, id="starts ranks as --devices says"),
    ],
)
def test_who_starts_the_ranks_can_be_chosen(
    tmp_path: Path, once: bool | None, text: str, ranks: int
) -> None:
    (tmp_path / "train.py").write_text(text)
    command = ("python", "train.py")
    found = choose_launch(command, 2, tmp_path, once)
    assert found == OriginalLaunch(command, ranks, like_torchrun=ranks > 1)
