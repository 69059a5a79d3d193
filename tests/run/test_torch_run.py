"""``ascendify run`` with PyTorch: three ways to start ranks, hardware, audits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from ascendify.emulation import audit
from support.commands import ascendify

DATA_PARALLEL = """\
import os
import torch, torch_npu
import torch.distributed as dist
import torch.multiprocessing


def work(rank, size):
    torch.npu.set_device(rank)
    dist.init_process_group(
        "hccl", init_method=os.environ.get("HOW"), rank=rank, world_size=size
    )
    torch.manual_seed(rank)
    model = torch.nn.Linear(3, 1).npu()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.full((2, 3), float(rank)).npu()).sum().backward()
        optimizer.step()
    total = sum(float(one.sum()) for one in model.parameters())
    with open("rank-%d.txt" % dist.get_rank(), "w") as file:
        facts = (dist.get_rank(), size, torch.npu.device_count(), torch.npu.current_device(), total)
        print(*facts, file=file)
    dist.destroy_process_group()


if __name__ == "__main__":
    START
"""
FROM_ENVIRONMENT = 'work(int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"]))'
SPAWN = (
    'os.environ["HOW"] = "file://" + os.path.abspath("store")\n'
    "    torch.multiprocessing.spawn(work, (2,), nprocs=torch.npu.device_count())"
)


def ascendify_run(
    *arguments: str | Path, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    environment = {"OMP_NUM_THREADS": "1", **environment}
    return ascendify("run", "--timeout", "240", *arguments, cwd=cwd, variables=environment)


@pytest.mark.parametrize(
    ("start", "command", "once"),
    [
        pytest.param(FROM_ENVIRONMENT, ["PYTHON", "train.py"], False, id="one-process-a-device"),
        pytest.param(
            FROM_ENVIRONMENT, ["BESIDE/torchrun", "--nproc_per_node=2", "train.py"], True,
            id="torchrun",
        ),
        pytest.param(
            FROM_ENVIRONMENT,
            ["PYTHON", "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"],
            True,
            id="module",
        ),
        pytest.param(FROM_ENVIRONMENT, ["sh", "start.sh"], True, id="shell-script"),
        pytest.param(SPAWN, ["PYTHON", "train.py"], True, id="spawn"),
    ],
)  # fmt: skip
def test_two_ranks(
    preloaded_torch: str, tmp_path: Path, start: str, command: list[str], once: bool
) -> None:
    (tmp_path / "train.py").write_text(DATA_PARALLEL.replace("START", start), encoding="utf-8")
    (tmp_path / "start.sh").write_text("torchrun --nproc_per_node=2 train.py\n", encoding="utf-8")
    beside = str(Path(preloaded_torch).parent)
    given = [
        argument.replace("PYTHON", preloaded_torch).replace("BESIDE", beside)
        for argument in command
    ]
    path = os.pathsep.join((beside, os.environ["PATH"]))
    ran = ascendify_run("-n", "2", "--audit", "a.json", "--", *given, cwd=tmp_path, PATH=path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    facts = [(tmp_path / f"rank-{rank}.txt").read_text().split() for rank in range(2)]
    assert [each[:4] for each in facts] == [["0", "2", "2", "0"], ["1", "2", "2", "1"]]
    assert facts[0][4] == facts[1][4]
    assert ("the command finished in" in ran.stderr) is once
    seen = audit.load(tmp_path / "a.json")
    assert [(one.rank, one.steps) for one in seen.processes] == [(0, 3), (1, 3)]
    assert all(use.ranks == (0, 1) for use in seen.operators)


def test_once_can_be_set_and_unset(tmp_path: Path) -> None:
    script = "import os\nprint(os.environ.get('RANK'), os.environ['ASCENDIFY_DEVICES'])\n"
    spawning = "import torch.multiprocessing as mp\nif 0:\n    mp.spawn(print)\n"
    (tmp_path / "plain.py").write_text(script, encoding="utf-8")
    (tmp_path / "spawning.py").write_text(
        script + "try:\n    pass\nfinally:\n    pass\nif 0:\n" + _indented(spawning), "utf-8"
    )
    expected = {
        ("plain.py",): ("0 2\n", ""),
        ("--once", "plain.py"): ("None 2\n", ""),
        ("spawning.py",): ("None 2\n", "so the command is started once"),
        ("--no-once", "spawning.py"): ("0 2\n", "--no-once starts that 2 times"),
    }
    for (*options, name), (printed, warned) in expected.items():
        ran = ascendify_run("-n", "2", *options, "--", sys.executable, name, cwd=tmp_path)
        assert ran.stdout == printed, (name, ran.stderr)
        assert warned in ran.stderr


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def test_a_launcher_with_more_ranks_than_devices(tmp_path: Path) -> None:
    for name in ("torchrun", "python3"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    ran = ascendify_run("--", "./torchrun", "--nproc_per_node=4", "train.py", cwd=tmp_path)
    assert ran.returncode == 0
    assert "warning: torchrun starts 4 ranks and there is 1 device; --devices 4" in ran.stderr


def test_programs_beside_the_interpreter_are_found(tmp_path: Path) -> None:
    """A script run by an environment's Python starts torchrun of the same environment."""
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    (folder / "torchrun").write_text("#!/bin/sh\necho of this environment\n")
    (folder / "torchrun").chmod(0o755)
    source = "import subprocess\nsubprocess.run(['torchrun'])\nsubprocess.run(['torch_npu_run'])\n"
    (tmp_path / "train.py").write_text(source)
    ran = ascendify_run("--", "venv/bin/python", "train.py", cwd=tmp_path)
    assert ran.stdout == "of this environment\n" * 2, ran.stderr


@pytest.mark.parametrize(
    ("release", "hint"),
    [
        ("latest", "the newest of each line are 2.1.0.post17"),
        ("2.7.1.post22", "did you mean 2.7.1"),
    ],
)
def test_a_release_of_torch_npu_that_does_not_exist(
    tmp_path: Path, release: str, hint: str
) -> None:
    ran = ascendify_run("--", "true", cwd=tmp_path, ASCENDIFY_TORCH_NPU=release)
    assert ran.returncode == 2
    assert f"ASCENDIFY_TORCH_NPU is '{release}'" in ran.stderr
    assert hint in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        pytest.param(
            ("--soc", "910C", "true"), "--soc 910C is no hardware", "did you mean 910", id="soc"
        ),
        pytest.param(("--soc", "H100", "true"), "--soc H100", "910A, 910B, A3", id="gpu"),
        pytest.param(
            ("--audit", "no/a.json", "true"), "the folder of --audit", "create it", id="folder"
        ),
        pytest.param(("--audit", ".", "true"), "--audit . is a folder", "name a file", id="file"),
        pytest.param(
            ("--", "torch_run", "train.py"), "command not found: torch_run", "", id="misspelt"
        ),
        pytest.param(
            ("--", "torchrun", "train.py"), "command not found: torchrun", "venv/bin/torchrun",
            id="torchrun-is-elsewhere",
        ),
    ],
)  # fmt: skip
def test_wrong_command_lines(
    tmp_path: Path, arguments: tuple[str, ...], message: str, hint: str
) -> None:
    ran = ascendify_run(*arguments, cwd=tmp_path, PATH="/usr/bin:/bin")
    assert ran.returncode == 2
    assert message in ran.stderr
    assert hint in ran.stderr
    assert len(ran.stderr.splitlines()) == 2


def test_any_number_of_devices_on_newer_hardware(tmp_path: Path) -> None:
    assert "warning" in ascendify_run("-n", "3", "--", "true", cwd=tmp_path).stderr
    newer = ascendify_run("-n", "3", "--soc", "910B", "--", "true", cwd=tmp_path)
    assert "warning" not in newer.stderr


AUDITED = """\
import os
import torch, torch_npu
os.environ.get("CUDA_HOME")
if torch.cuda.is_available():
    raise SystemExit
model = torch.nn.Linear(4, 2).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(8, 4).npu()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
result = model.weight.detach().cpu()
"""


def test_an_audit(preloaded_torch: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(AUDITED, encoding="utf-8")
    ran = ascendify_run("--audit", "a.json", "--", preloaded_torch, "train.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "Audit: " in ran.stderr
    data = json.loads((tmp_path / "a.json").read_text())
    jsonschema.validate(data, audit.schema())
    assert (data["soc"], data["devices"], data["root"]) == ("910B", 1, str(tmp_path))
    (process,) = data["processes"]
    assert process["steps"] == 3
    assert process["peak_bytes"] > 0
    lines = {(one["operator"].partition(".")[0], one["line"]): one for one in data["operators"]}
    forward, backward = lines["aten::addmm", 9], lines["aten::mm", 11]
    assert (forward["count"], forward["dtype"], forward["path"]) == (3, "float32", "train.py")
    assert backward["count"] == 3
    moves = {(one["direction"], one["line"]): (one["count"], one["bytes"]) for one in data["moves"]}
    assert moves["to device", 9] == (3, 3 * 8 * 4 * 4)
    assert moves["to host", 14] == (1, 2 * 4 * 4)
    assert {(one["what"], one["line"], one["count"]) for one in data["waits"]} == {
        ("a value is read", 13, 3),
        ("a tensor is copied to the host", 14, 1),
    }
    assert [(one["what"], one["line"]) for one in data["cuda"]] == [("torch.cuda.is_available", 4)]
    assert [(one["what"], one["line"]) for one in data["variables"]] == [("CUDA_HOME read", 3)]
    assert "EMU-TORCH-CUDA-1" in {one["code"] for one in data["findings"]}


def test_an_audit_joins_the_reports(preloaded_torch: str, tmp_path: Path) -> None:
    source = "import torch, torch_npu\nx = torch.ones(3).npu()\ntorch.mode(x)\n"
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    options = ("--strict", "--output-format", "json", "--audit", "a.json", "-r", "reports")
    ran = ascendify_run(*options, "--", preloaded_torch, "train.py", cwd=tmp_path)
    assert ran.returncode == 1, ran.stderr
    reported = json.loads(ran.stdout)
    assert [(one["code"], one["span"]["line"]) for one in reported["findings"]] == [
        ("EMU-TORCH-OP-1", 3)
    ]
    assert {one["api"] for one in reported["apis"] if one["support"] == "unsupported"} == {
        "torch.Tensor.mode"
    }
    assert "torch.Tensor.mode" in (tmp_path / "reports" / "report.txt").read_text()
    given = ("check", "train.py", "--audit", "a.json", "--output-format", "json")
    checked = ascendify(*given, cwd=tmp_path)
    codes = {one["code"] for one in json.loads(checked.stdout)["findings"]}
    assert "EMU-TORCH-OP-1" in codes


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("import torch\ntorch.ones(1).cuda()\n", "a .cuda() or a device 'cuda' is left"),
        (
            "import torch, torch_npu\ntorch.ones(2).npu() + torch.ones(2)\n",
            "a tensor was left on the host",
        ),
        ("import torch, torch_npu\ntorch.ones(1).npu().numpy()\n", "call .cpu() first"),
        ("import os\nos.environ['LOCAL_RANK']\n", "the script expects a launcher"),
    ],
    ids=["cuda", "mixed", "numpy", "launcher"],
)
def test_advice(preloaded_torch: str, tmp_path: Path, source: str, hint: str) -> None:
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    ran = ascendify_run("--", preloaded_torch, "train.py", cwd=tmp_path)
    assert ran.returncode == 3
    assert f"hint: {hint}" in ran.stderr or hint in ran.stderr.partition("hint: ")[2], ran.stderr
