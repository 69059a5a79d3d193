"""Which files of a PyTorch project are run: by a guard, by a launcher, or by what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.migrate.discovery import files
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey

MODULE = "import torch\n\n\ndef make():\n    return torch.zeros(1)\n"


def entry_points(root: Path, **contents: str) -> frozenset[str]:
    """The entry points of a project; ``train_py`` names the file train.py."""
    for name, content in contents.items():
        (root / ".".join(name.rsplit("_", 1))).write_text(content, encoding="utf-8")
    settings = load(root)
    return survey(settings, files(settings)).facts.entry_points


@pytest.mark.parametrize(
    "script",
    [
        "import torch\nwhile True:\n    step()\n",
        "import torch\nfor epoch in range(3):\n    step()\n",
        "import torch\nwith torch.no_grad():\n    step()\n",
        "import torch, argparse\nparser = argparse.ArgumentParser()\nargs = parser.parse_args()\n",
        "import torch\ntorch.manual_seed(1)\nstep()\n",
        "import torch\nif __name__ == '__main__':\n    step()\n",
    ],
    ids=["while", "for", "with", "arguments", "seed", "guard"],
)
def test_a_file_that_trains_when_it_is_read_is_run(tmp_path: Path, script: str) -> None:
    assert entry_points(tmp_path, train_py=script, model_py=MODULE) == {"train.py"}


def test_a_file_that_others_import_is_a_module(tmp_path: Path) -> None:
    tables = "import torch\nfor name in ('a', 'b'):\n    globals()[name] = torch.zeros(1)\n"
    assert entry_points(tmp_path, tables_py=tables, use_py="import tables\nimport torch\n") == set()


@pytest.mark.parametrize(
    "command",
    [
        "python train.py --lr 1",
        "torchrun --nproc_per_node=8 train.py",
        "torchrun \\\n  --nproc_per_node 8 \\\n  train.py --lr 1",
        "python -m torch.distributed.launch --nproc_per_node=8 ./train.py",
        "python3 -m torch.distributed.run --standalone train.py",
        "python -m train --lr 1",
        "torchrun --nproc_per_node 2 -m train",
        "accelerate launch --config_file c.yaml train.py",
        "deepspeed --num_gpus 8 train.py",
    ],
)
def test_what_a_launcher_starts_is_run(tmp_path: Path, command: str) -> None:
    assert entry_points(tmp_path, train_py=MODULE, run_sh=f"{command}\n") >= {"train.py"}
