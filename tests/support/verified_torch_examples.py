"""Which PyTorch examples are verified, with what, and how one side of one of them is run."""

from __future__ import annotations

import functools
import json
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ascendify.catalog import torch_releases
from ascendify.emulation import run_report
from ascendify.findings import Status
from ascendify.jobs.ports import free_port
from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.verify.judge import Evidence, judge
from ascendify.verify.request import VerifyRequest, commands
from ascendify.verify.sides import MIGRATED, ORIGINAL, Side, run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@dataclass(frozen=True)
class Example:
    """A project, the command that trains it, and what a device would refuse of its migration."""

    folder: str
    command: str
    """``{python}`` is the interpreter, ``{bin}`` its folder, ``{port}`` a port nobody has."""
    devices: int | None = None
    refused: tuple[str, ...] = ()


VERIFIED = {
    "autoaugment": Example(
        "torch-autoaugment",
        "{python} train.py --auto-augment True --cutout True --samples 128",
    ),
    "workers": Example(
        "torch-autoaugment", "{python} train.py --samples 64 --auto-augment True --workers 2"
    ),
    "imagenet": Example("torch-imagenet-ddp", "{python} main.py --gpu 0 --samples 112"),
    "resumed": Example(
        "torch-imagenet-ddp",
        "sh -c '{python} main.py --gpu 0 --samples 64 --epochs 1 && "
        "{python} main.py --gpu 0 --samples 64 --resume checkpoint.pth.tar'",
    ),
    "spawned": Example(
        "torch-imagenet-ddp",
        "{python} main.py --multiprocessing-distributed --world-size 1 --rank 0 --samples 128 "
        "--dist-url tcp://127.0.0.1:{port}",
        devices=2,
    ),
    "torchrun": Example(
        "torch-imagenet-ddp", "{bin}/torchrun --nproc_per_node=2 main.py --samples 128"
    ),
    "amp": Example("torch-amp", "{python} train.py --amp"),
    "bfloat16": Example("torch-amp", "{python} train.py --amp --bf16 --steps 8"),
    "accelerate": Example("torch-accelerate", "{python} train.py"),
    "trainer": Example("torch-trainer", "{python} train.py --max-steps 6"),
    "argparse": Example("torch-argparse", "{python} train.py"),
    "notebook": Example("torch-notebook", "{python} spirals.py"),
}


def original(example: Example, folder: Path) -> Path:
    """A copy of an example."""
    copy = folder / "original"
    shutil.copytree(EXAMPLES / example.folder, copy)
    return copy


def migrated(source: Path, interpreter: str, output: str = "migrated", **options: bool) -> Path:
    """The project as ``ascendify migrate`` writes it for a PyTorch, beside the original.

    Notebooks of both become scripts, since nothing here runs notebooks.
    """
    folder = source.with_name(output)
    target = torch_releases.nearest(_torch_of(interpreter)).version
    migrate(load(source, output=folder, torch_npu=target, **options))
    for project in (source, folder):
        for path in project.glob("*.ipynb"):
            path.with_suffix(".py").write_text(_code(path), encoding="utf-8")
    return folder


@functools.cache
def _torch_of(interpreter: str) -> str:
    reported = subprocess.run(
        [interpreter, "-c", "from importlib import metadata; print(metadata.version('torch'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return reported.stdout.partition("+")[0].strip()


def _code(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = [
        line for cell in cells if cell["cell_type"] == "code" for line in (*cell["source"], "\n")
    ]
    return "".join(line for line in lines if not line.startswith(("!", "%")))


def request(example: Example, source: Path, interpreter: str) -> VerifyRequest:
    """The request of ``ascendify verify`` for an example."""
    line = example.command.format(
        python=interpreter, port=free_port(), bin=Path(interpreter).parent
    )
    first, second, devices = commands(shlex.split(line), None, None, example.devices)
    return VerifyRequest(
        source, source.with_name("migrated"), first, second, devices=devices, timeout=300
    )


def run_original(requested: VerifyRequest) -> Side:
    """Run the original side."""
    return _ended(
        run(ORIGINAL, requested, requested.original, requested.original.with_name("original-logs"))
    )


def run_migrated(requested: VerifyRequest) -> Side:
    """Run the migrated side."""
    return _ended(
        run(MIGRATED, requested, requested.migrated, requested.migrated.with_name("migrated-logs"))
    )


def _ended(side: Side) -> Side:
    assert not side.outcome.timed_out, side.blamed.last_lines
    return side


def compare(first: Side, second: Side, requested: VerifyRequest) -> tuple[Evidence, set[str]]:
    """Return the reasons against a pass, and the codes of what a device would refuse."""
    report = run_report.report(second.findings, second.folder)
    codes = {finding.code for finding in report.findings if finding.status is Status.BLOCKER}
    return judge(first, second, requested.tolerance, None), codes
