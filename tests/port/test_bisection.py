"""``verify --bisect`` names the edit that makes the difference, with its line and rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import ascendify

_TRAIN = """\
import torch
from net import Net

model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler()
for step in range(4):
    x = torch.randn(8, 4).cuda()
    with torch.cuda.amp.autocast():
        loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    del x; torch.cuda.empty_cache()
"""
_NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, x):
        scale = torch.cuda.FloatTensor([2.0])
        return self.layer(x) * scale
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bisection")
    original = folder / "project"
    original.mkdir()
    (original / "train.py").write_text(_TRAIN)
    (original / "net.py").write_text(_NET)
    result = ascendify("migrate", "project", "-o", "project_npu", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder


def bisect(
    projects: Path, python: str, where: Path, edits: dict[str, tuple[str, str]]
) -> tuple[str, dict[str, Any]]:
    """Make edits in a copy of the migrated project; the last lines on screen, and the JSON."""
    changed = where / "changed"
    changed.mkdir()
    for name in ("train.py", "net.py"):
        text = (projects / "project_npu" / name).read_text()
        for file, (old, new) in edits.items():
            if file == name:
                assert text.count(old) == 1
                text = text.replace(old, new)
        (changed / name).write_text(text)
    result = ascendify(
        "verify", str(projects / "project"), str(changed), "--bisect", "--no-repeat", "--quiet",
        "--json", "verdict.json", "--", python, "train.py", cwd=where,
    )  # fmt: skip
    assert result.returncode in (1, 4), result.stderr
    found = json.loads((where / "verdict.json").read_text())["bisect"]
    return result.stdout, found


@pytest.mark.xdist_group("bisection")
@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            {"net.py": ("[2.0]", "[3.0]"), "train.py": ("del x;", "del x ;")},
            ("net.py", 11, "altered after the migration", ["TORCH-DEV-7"]),
            id="altered",
        ),
        pytest.param(
            {"train.py": ("torch.randn(8, 4).npu()", "torch.randn(8, 4).cuda()")},
            ("train.py", 9, "undone after the migration", ["TORCH-DEV-4"]),
            id="undone",
        ),
        pytest.param(
            {"train.py": ("lr=0.1", "lr=0.2")},
            ("train.py", 6, "made after the migration", []),
            id="made by a person",
        ),
    ],
)
def test_an_edit_after_the_migration_is_named(
    projects: Path,
    preloaded_torch: str,
    tmp_path: Path,
    edits: dict[str, tuple[str, str]],
    expected: tuple[str, int, str, list[str]],
) -> None:
    screen, found = bisect(projects, preloaded_torch, tmp_path, edits)
    assert (found["origin"], found["complete"]) == ("later", True)
    [[edit]] = found["causes"]
    path, line, what, rules = expected
    assert (edit["path"], edit["line"], edit["what"], edit["rules"]) == expected
    assert "1 EDIT MAKES THE DIFFERENCE" in screen
    assert f"  {path}:{line}  {what}" in screen
    assert all(code in screen for code in rules)


def test_it_needs_copies(projects: Path) -> None:
    result = ascendify(
        "verify", "project", "project_npu", "--bisect", "--in-place", "--", "python", "train.py",
        cwd=projects,
    )  # fmt: skip
    assert result.returncode == 2
    assert result.stderr.splitlines()[0] == (
        "error: --bisect trains changed copies of the project, so it cannot be used with --in-place"
    )
