"""What still mentions CUDA after a migration: one list, each line with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.migrate.cache import Cache
from ascendify.migrate.pipeline import check, migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import Report
from ascendify.reports.text import to_text

_FILES = {
    "train.py": """\
\"\"\"Train on CUDA.\"\"\"
import argparse
import torch
import flash_attn  # needs CUDA
parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", help="no CUDA")
args = parser.parse_args()
torch.backends.cudnn.benchmark = True
model = torch.nn.Linear(2, 2).cuda()  # to CUDA
path = "/data/cuda/x"
if not args.no_cuda:
    print("on CUDA")
""",
    "run.sh": "# CUDA\nnvidia-smi\nnsys profile python train.py\n",
    "conf.yaml": "device: cuda\nname: cuda_run  # on CUDA\n",
    "README.md": "Needs CUDA.\n\nAnd an NVIDIA GPU.\nNothing else.\n",
    "ops/kernel.cu": "// nothing of that name\n#include <cuda.h>\n",
    "uv.lock": "name = 'nvidia-nccl-cu12'\n",
    "data.bin": "cuda",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _list(report: Report) -> list[tuple[str, int, str]]:
    return [(item.path, item.line, item.code or item.reason) for item in report.mentions]


def test_every_line_that_still_mentions_cuda_has_a_reason(project: Path) -> None:
    report = check(load(project))
    assert _list(report) == [
        ("README.md", 1, "documentation"),
        ("conf.yaml", 2, "a key or a value that names no device and no backend"),
        ("ops/kernel.cu", 2, "C, C++ or CUDA sources, which the tool does not rewrite"),
        ("run.sh", 1, "a comment"),
        ("run.sh", 3, "SH-TOOL-1"),
        ("train.py", 1, "documentation in the code"),
        ("train.py", 5, "a comment"),
        ("train.py", 7, "TORCH-DEV-3"),
        ("train.py", 9, "TORCH-BACK-1"),
        ("train.py", 10, "a comment"),
        ("train.py", 11, "a text of the program: a path, a key or a name of its own"),
        ("train.py", 12, "a name of the project's own, which its other code uses"),
        ("train.py", 13, "a message"),
        ("uv.lock", 1, "a lock file: make it anew from the changed requirements"),
    ]
    assert [item.lines for item in report.mentions if item.path == "README.md"] == [2]


def test_lines_are_those_of_the_migrated_file(project: Path, tmp_path: Path) -> None:
    report = migrate(load(project, output=tmp_path / "out"))
    assert report.mentions
    for item in report.mentions:
        lines = (tmp_path / "out" / item.path).read_text(encoding="utf-8").split("\n")
        assert item.text == lines[item.line - 1].strip()


def test_the_list_is_the_same_from_the_cache(project: Path, tmp_path: Path) -> None:
    first = check(load(project), cache=Cache(tmp_path / "cache"))
    second = check(load(project), cache=Cache(tmp_path / "cache"))
    assert first.mentions == second.mentions


def test_the_text_groups_them_by_reason(project: Path) -> None:
    text = to_text(check(load(project)))
    assert "Still mentions CUDA after the migration (15 lines)" in text
    assert "  documentation (2 lines)\n    README.md:1 (2 lines)\n" in text
    assert "  a finding above (3 lines)\n    run.sh:3, train.py:7, train.py:9\n" in text
