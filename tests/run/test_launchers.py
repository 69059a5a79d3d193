"""Commands that start ranks by themselves are distinguished from those that are one rank."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.processes.launchers import find_launcher

PLAIN = "import torch\nprint(torch.__version__)\n"
SCRIPTS = {
    "plain.py": PLAIN,
    "mp.py": "import torch.multiprocessing as mp\nmp.spawn(print, nprocs=2)\n",
    "from.py": "from torch import multiprocessing\nmultiprocessing.spawn(print)\n",
    "name.py": "from torch.multiprocessing import spawn as go\nif True:\n    go(print)\n",
    "full.py": "import torch\nimport torch.multiprocessing\ntorch.multiprocessing.spawn(print)\n",
    "other.py": "import multiprocessing as mp\nmp.spawn(print)\nclass A:\n  spawn = print\n",
    "named.py": "def spawn(): pass\nspawn()\n# mp.spawn(train)\ntext = 'mp.spawn(train)'\n",
    "broken.py": "def (:\n",
    "torchrun.sh": "#!/bin/bash\nexport A=1\nexec torchrun --nproc_per_node=$N train.py\n",
    "module.sh": "$HOME/venv/bin/python3 -m torch.distributed.launch \\\n  train.py\n",
    "venv.sh": "cd x && venv/bin/torchrun train.py\n",
    "comment.sh": "# torchrun train.py\npython train.py --log torchrun.log\n",
}


@pytest.mark.parametrize(
    ("command", "name", "ranks"),
    [
        ("torchrun --nproc_per_node=2 train.py", "torchrun", 2),
        ("venv/bin/torchrun --nproc-per-node 4 train.py", "torchrun", 4),
        ("torchrun --nproc_per_node=auto train.py", "torchrun", None),
        ("torchrun --standalone train.py --epochs 9", "torchrun", None),
        ("torch_npu_run --nproc_per_node 8 train.py", "torch_npu_run", 8),
        ("accelerate launch --num_processes 2 train.py", "accelerate launch", 2),
        ("accelerate config", None, None),
        ("deepspeed --num_gpus=2 train.py", "deepspeed", 2),
        ("python -m torch.distributed.run t.py", "python -m torch.distributed.run", None),
        ("v/python3.11 -u -m torch.distributed.launch --nproc_per_node 2 t.py",
         "python -m torch.distributed.launch", 2),
        ("env A=1 torchrun train.py", "torchrun", None),
        ("python -m pkg.train", None, None),
        ("python plain.py", None, None),
        ("python missing.py", None, None),
        ("python mp.py", "torch.multiprocessing.spawn", None),
        ("python from.py", "torch.multiprocessing.spawn", None),
        ("python name.py", "torch.multiprocessing.spawn", None),
        ("python full.py", "torch.multiprocessing.spawn", None),
        ("python other.py", None, None),
        ("python named.py", None, None),
        ("python broken.py", None, None),
        ("bash torchrun.sh", "torchrun", None),
        ("./torchrun.sh", "torchrun", None),
        ("sh module.sh", "python3 -m torch.distributed.launch", None),
        ("sh venv.sh", "torchrun", None),
        ("sh comment.sh", None, None),
    ],
)  # fmt: skip
def test_launchers(tmp_path: Path, command: str, name: str | None, ranks: int | None) -> None:
    for file, text in SCRIPTS.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    found = find_launcher(command.split(), tmp_path)
    assert (found.name if found else None, found.ranks if found else None) == (name, ranks)


@pytest.mark.parametrize(
    ("text", "name", "ranks"),
    [
        ("cd src && torchrun --nproc_per_node=2 train.py", "torchrun", 2),
        (
            "python -m torch.distributed.run --nproc_per_node 4 train.py",
            "python -m torch.distributed.run",
            4,
        ),
        ("cd src; accelerate launch train.py", "accelerate launch", None),
        ("cd src && python train.py --nproc_per_node 2", None, None),
        ("echo torchrun.log", None, None),
    ],
)
def test_launchers_in_the_text_of_a_shell(
    tmp_path: Path, text: str, name: str | None, ranks: int | None
) -> None:
    found = find_launcher(["sh", "-c", text], tmp_path)
    assert (found and found.name, found and found.ranks) == (name, ranks)
