"""Machines with an NPU, and machines where only its packages are installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.cluster import npus
from ascendify.cluster.doctor.machine import Machine
from ascendify.emulation.paths import PACKAGES
from ascendify.errors import UsageError
from support import commands
from support.interpreters import user_environment

NODES = {
    "nothing": ((), ""),
    "an-ordinary-machine": (("null", "nvidia0"), ""),
    "a-container-without-a-device": (("davinci_manager", "devmm_svm", "hisi_hdc"), ""),
    "one": (("davinci0", "davinci_manager"), "/dev/davinci0"),
    "eight": ([f"davinci{number}" for number in range(8)], "/dev/davinci0 to 7"),
    "some-of-a-server": (("davinci2", "davinci5"), "/dev/davinci2, 5"),
}


def machine(root: Path, nodes: tuple[str, ...] | list[str], driver: str = "") -> Machine:
    (root / "dev").mkdir()
    for node in nodes:
        (root / "dev" / node).touch()
    if driver:
        folder = root / "usr/local/Ascend/driver"
        folder.mkdir(parents=True)
        (folder / "version.info").write_text(f"Version={driver}\n")
    return Machine(root=root)


@pytest.mark.parametrize(("nodes", "text"), NODES.values(), ids=NODES)
def test_an_npu_is_a_numbered_device_node(
    tmp_path: Path, nodes: tuple[str, ...], text: str
) -> None:
    assert npus.find(machine(tmp_path, nodes)) == text


def test_the_driver_is_named_beside_the_npu_and_counts_for_none(tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    found = npus.find(machine(tmp_path / "with", ("davinci0",), "25.2.0"))
    assert found == "/dev/davinci0, driver 25.2.0"
    assert npus.find(machine(tmp_path / "without", (), "25.2.0")) == ""


def test_emulation_beside_an_npu_is_a_decision(tmp_path: Path) -> None:
    here = machine(tmp_path, ("davinci0",))
    with pytest.raises(UsageError) as refused:
        npus.check_emulated_on_purpose(False, "ascendify launch -- python train.py", here)
    assert "has an NPU (/dev/davinci0)" in refused.value.message
    assert "ascendify launch -- python train.py" in refused.value.hint
    assert "--emulate" in refused.value.hint
    reported = npus.check_emulated_on_purpose(True, "", here)
    assert "has an NPU (/dev/davinci0); --emulate leaves it alone" in reported


@pytest.fixture
def with_npus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command find eight NPUs."""
    monkeypatch.setattr(npus, "find", lambda machine=None: "/dev/davinci0 to 7")


@pytest.mark.usefixtures("with_npus")
@pytest.mark.parametrize("emulate", [False, True], ids=["undecided", "emulate"])
@pytest.mark.parametrize("command", ["run", "verify"])
def test_commands_say_so_on_a_machine_with_npus(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str, emulate: bool
) -> None:
    program = "print('step 1 loss 0.5')"
    folders = [tmp_path / "original", tmp_path / "migrated"]
    for folder in folders:
        folder.mkdir()
        (folder / "train.py").write_text(program)
    places = ["--project", str(folders[1])]
    if command == "verify":
        places = [*map(str, folders), "--pattern", r"loss (?P<value>\S+)"]
    flag = ["--emulate"] if emulate else []
    code = main([command, *places, *flag, "--", sys.executable, "train.py"])
    reported = capfd.readouterr().err
    assert "this machine has an NPU (/dev/davinci0 to 7)" in reported
    assert code == (0 if emulate else 2), reported
    if not emulate:
        assert f"ascendify launch -- {sys.executable} train.py" in reported
        assert "add --emulate" in reported


@pytest.mark.usefixtures("with_npus")
def test_a_migration_is_not_written_when_it_could_not_be_verified(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "train.py").write_text("import torch\n")
    code = main(
        ["migrate", str(tmp_path / "a"), "-o", str(tmp_path / "b"), "--verify", "python train.py"]
    )
    reported = capfd.readouterr().err
    assert code == 2, reported
    assert "--emulate -- python train.py" in reported
    assert not (tmp_path / "b").exists()


FAILS_WITHOUT_AN_NPU = (
    "ImportError",
    "libascendcl.so: cannot open shared object file: No such file or directory",
)


def install(folder: Path, *packages: str) -> Path:
    """Packages of the vendor as a machine without an NPU has them: importing one fails."""
    for package in packages:
        (folder / package).mkdir(parents=True)
        kind, text = FAILS_WITHOUT_AN_NPU
        (folder / package / "__init__.py").write_text(f"raise {kind}({text!r})\n")
        about = folder / f"{package}-9.9.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9\n")
        (about / "entry_points.txt").write_text(
            f"[torch.backends]\n{package} = {package}:_autoload\n"
        )
    return folder


LOOK = """\
import importlib.metadata, json, sys
import torch
before = str(torch.ones(1).npu().device)  # torch has imported the package by itself
import torch_npu
version = importlib.metadata.version("torch_npu")
print(json.dumps([before, torch_npu.__file__, version, torch_npu.__version__]))
"""


def ascendify(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return commands.ascendify(*arguments, variables={**user_environment(), **environment})


def test_an_installed_torch_npu_is_stood_in_for(tmp_path: Path, torch_python: str) -> None:
    (tmp_path / "train.py").write_text(LOOK)
    installed = install(tmp_path / "site", "torch_npu")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH", ""))))
    ran = ascendify(
        *("run", "--project", tmp_path, "--", torch_python, "train.py"), PYTHONPATH=path
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    device, file, version, own = json.loads(ran.stdout.splitlines()[-1])
    assert device == "npu:0"
    assert file.startswith(str(PACKAGES))
    assert version == own != "9.9"


ORIGINAL = """\
import importlib.util
import torch
assert importlib.util.find_spec("torch_npu") is None
try:
    import torch_npu
except ModuleNotFoundError:
    pass
weight = torch.nn.Parameter(torch.ones(2).cuda())
loss = (weight * 3).sum()
loss.backward()
torch.optim.SGD([weight], 0.1).step()
"""


def test_an_original_does_not_see_an_installed_torch_npu(tmp_path: Path, torch_python: str) -> None:
    folders = [tmp_path / "original", tmp_path / "migrated"]
    migrated = ORIGINAL.replace("cuda", "npu")
    migrated = "\n".join(line for line in migrated.splitlines() if "find_spec" not in line)
    for folder, source in zip(folders, (ORIGINAL, migrated)):
        folder.mkdir()
        (folder / "train.py").write_text(source)
    installed = install(tmp_path / "site", "torch_npu")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH", ""))))
    done = ascendify("verify", *folders, "--", torch_python, "train.py", PYTHONPATH=path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_installed_adapter_of_tensorflow_is_stood_in_for(
    tmp_path: Path, interpreter: str
) -> None:
    (tmp_path / "train.py").write_text(
        "from npu_bridge.npu_init import *\nprint(__import__('npu_bridge').__file__)\n"
    )
    installed = install(tmp_path / "site", "npu_bridge", "hccl")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH", ""))))
    ran = ascendify("run", "--project", tmp_path, "--", interpreter, "train.py", PYTHONPATH=path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].startswith(str(PACKAGES))
