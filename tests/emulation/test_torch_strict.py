"""Strict mode for PyTorch: only what an NPU would refuse is reported, at the user's line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ascendify.emulation.codes import CODES
from ascendify.findings import Status
from support.commands import ascendify
from support.interpreters import user_environment

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = Path(__file__).parent / "scripts"
CODE = re.compile(r"EMU(?:-[A-Z]+)+-\d+")


def marks(text: str) -> set[tuple[str, int]]:
    """The codes that stand behind the lines of a script."""
    return {
        (code, number)
        for number, line in enumerate(text.splitlines(), 1)
        for code in CODE.findall(line.partition("#")[2])
    }


def strict_run(
    python: str, script: Path, *options: str
) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[str]]:
    """The findings of a script under ``ascendify run --strict``."""
    command = ["run", "--strict", "--output-format", "json", "--timeout", "240"]
    command += ["--project", str(script.parent), *options, "--", python, script.name]
    result = ascendify(*command, variables=user_environment())
    start = result.stdout.find('{\n  "schema_version"')
    assert start >= 0, result.stderr[-3000:]
    return json.loads(result.stdout[start:])["findings"], result


def test_every_mark_is_reported_and_nothing_else(preloaded_torch: str) -> None:
    script = SCRIPTS / "torch_strict_cases.py"
    found, result = strict_run(preloaded_torch, script)
    assert result.returncode == 1, result.stderr[-3000:]
    reported = [(one["code"], one["span"]["line"]) for one in found]
    assert set(reported) == marks(script.read_text(encoding="utf-8")), found
    for one in found:
        assert Status(one["status"]) in CODES[one["code"]].statuses, one


TRAIN = """\
import torch, torch_npu
model = torch.nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2, 3).to(device)).sum().backward()
    optimizer.step()
"""


FUSED = """\
import torch, torch_npu
net = torch.nn.ModuleList([torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)]).npu()
optimizer = torch_npu.optim.NpuFusedSGD(net.parameters(), lr=0.1)
for step in range(3):
    {zero}
    x = torch.ones(2, 3).npu()
    a, b = net[0](x).sum(), net[1](x).sum()
    ({parts}).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param((), "device = 'npu'\n" + TRAIN, id="clean"),
        pytest.param(
            (),
            "import torch, torch_npu\n"
            "device = 'cuda' if torch.cuda.is_available() else 'cpu'  "
            "# EMU-TORCH-CUDA-1 EMU-TORCH-CPU-1\n" + TRAIN,
            id="trains-on-the-host",
        ),
        pytest.param(
            (),
            "import sys, torch, torch_npu\n"
            "assert 'torch.utils.cpp_extension' not in sys.modules  # prints that CUDA is missing\n"
            "from torch.utils.cpp_extension import CUDAExtension\n"
            "try:\n"
            "    CUDAExtension('name', [])  # EMU-TORCH-OP-1\n"
            "except OSError:\n"
            "    pass\n",
            id="watches-what-is-imported-later",
        ),
        pytest.param(
            (),
            "device = 'cpu'\n"
            + TRAIN.replace("optimizer.step()", "optimizer.step()  # EMU-TORCH-CPU-1"),
            id="never-moved",
        ),
        pytest.param(
            (),
            "import torch, torch_npu\n"
            "a = torch.nn.Linear(2, 2)\n"
            "b = torch.nn.Linear(2, 2).npu()\n"
            "optimizer = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)\n"
            "b(a(torch.ones(1, 2)).npu()).sum().backward()\n"
            "optimizer.step()  # EMU-TORCH-CPU-1\n",
            id="half-moved",
        ),
        pytest.param(
            ("--soc", "910A"),
            "import torch, torch_npu\n"
            "x = torch.ones(3).npu()\n"
            "y = x.to(torch.bfloat16)  # EMU-TORCH-SOC-1\n"
            "y + y  # EMU-TORCH-SOC-1\n"
            "torch.isinf(x)  # EMU-TORCH-SOC-2\n"
            "x.isnan()  # EMU-TORCH-SOC-2\n"
            "torch.isnan(torch.ones(2))\n"
            "w = torch.ones(1, requires_grad=True, device='npu')\n"
            "(w * float('inf')).sum().backward()\n"
            "torch.optim.SGD([w], lr=0.1).step()  # EMU-TORCH-SOC-2\n",
            id="910a",
        ),
        pytest.param(
            ("--soc", "910B"),
            "import torch, torch_npu\n"
            "x = torch.ones(3).npu().to(torch.bfloat16)\n"
            "torch.isinf(x + x)\n",
            id="910b",
        ),
        pytest.param(
            (),
            FUSED.format(zero="optimizer.zero_grad()", parts="a + b"),
            id="fused",
        ),
        pytest.param(
            (),
            FUSED.format(zero="net.zero_grad()", parts="a + b if step != 1 else a").replace(
                "step()", "step()  # EMU-TORCH-OPT-2"
            ),
            id="fused-loses-gradients",
        ),
        pytest.param(
            (),
            FUSED.format(zero="optimizer.zero_grad()", parts="a + b if step else a").replace(
                "step()", "step()  # EMU-TORCH-OPT-2"
            ),
            id="fused-gets-gradients-late",
        ),
        pytest.param(
            (),
            "import torch, torch_npu\n"
            "from torch_npu.contrib import transfer_to_npu\n"
            "torch.cuda.is_available()\n"
            "x = torch.ones(3).cuda()\n",
            id="transfer-to-npu",
        ),
        pytest.param(
            (),
            "import torch, torch_npu\n"
            "x = torch.ones(3, requires_grad=True, device='npu')\n"
            "with torch.autograd.detect_anomaly(check_nan=False):\n"
            "    y = torch.ones(3, dtype=torch.float64, device='npu') * x  # EMU-TORCH-TYPE-1\n"
            "    y.sum().backward()  # EMU-TORCH-TYPE-2\n",
            id="anomalies-tell-the-forward-line",
        ),
    ],
)
def test_programs(
    preloaded_torch: str, tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    script = tmp_path / "train.py"
    script.write_text(text, encoding="utf-8")
    found, result = strict_run(preloaded_torch, script, *options)
    reported = {(one["code"], one["span"]["line"]) for one in found}
    assert reported == marks(text), (found, result.stderr[-2000:])


def test_nothing_is_reported_outside_strict_mode(preloaded_torch: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.cuda.is_available()\n")
    command = ["run", "--log-dir", str(tmp_path / "logs"), "--project", str(tmp_path)]
    result = ascendify(*command, "--", preloaded_torch, "train.py")
    assert result.returncode == 0, result.stderr
    # the portable path writes that it is taken, and nothing else
    written = {file.name for file in (tmp_path / "logs").iterdir()}
    assert written - {"emulation-0.jsonl"} == {".gitignore", "plan.json", "rank-0.log"}


SAME_DEVICE = """\
import os, sys, torch, torch_npu
import torch.distributed as dist
if sys.argv[1] == "own":
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("hccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1).npu())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(2, 3).npu()).sum().backward()
optimizer.step()  # EMU-TORCH-RANK-1
dist.destroy_process_group()
"""


@pytest.mark.parametrize("which", ["own", "same"])
def test_ranks_on_one_device(preloaded_torch: str, tmp_path: Path, which: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(SAME_DEVICE.replace("sys.argv[1]", repr(which)), encoding="utf-8")
    found, result = strict_run(preloaded_torch, script, "--devices", "2")
    reported = {(one["code"], one["span"]["line"]) for one in found}
    assert reported == (marks(SAME_DEVICE) if which == "same" else set()), result.stderr[-3000:]


def test_the_operator_table_is_that_of_the_catalogue() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "build_torch_runtime_data.py"), "--check"]
    result = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


NEW_OPERATORS = {"_batch_norm_with_update": (2, 4)}


def test_the_operator_table_names_operators_of_torch(preloaded_torch: str, tmp_path: Path) -> None:
    table = ROOT / "src/ascendify/emulation/packages/torch_npu/_watch/data/operators.json"
    names = sorted(json.loads(table.read_text(encoding="utf-8"))["operators"])
    script = tmp_path / "names.py"
    script.write_text(
        "import json, sys, torch\n"
        "names = json.load(open(sys.argv[1]))\n"
        "missing = [one for one in names if not hasattr(torch.ops.aten, one)]\n"
        "print(json.dumps([torch.__version__, missing]))\n",
        encoding="utf-8",
    )
    (tmp_path / "names.json").write_text(json.dumps(names), encoding="utf-8")
    command = [preloaded_torch, str(script), str(tmp_path / "names.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    version, missing = json.loads(result.stdout.splitlines()[-1])
    line = tuple(map(int, version.split(".")[:2]))
    assert missing == [name for name, first in NEW_OPERATORS.items() if line < first]
