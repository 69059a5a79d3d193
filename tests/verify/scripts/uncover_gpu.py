"""A program that tries to use the GPU of the machine it runs on; it must find none anywhere."""

import os
import subprocess
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

ASK = "import torch, sys; sys.exit(torch.cuda.is_available() or torch.cuda.device_count())"


class Asking(Dataset):
    """Samples that say whether their worker finds a GPU."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return int(torch.cuda.is_available()) + torch.cuda.device_count()


def spawned(rank):
    assert not torch.cuda.is_available(), rank
    assert torch.cuda.device_count() == 0, rank


def refused():
    try:
        torch.ones(1, device="cuda")
    except (RuntimeError, AssertionError):
        return True
    return False


if __name__ == "__main__":
    assert not torch.cuda.is_available()
    assert torch.cuda.device_count() == 0
    assert refused()
    assert sum(int(batch.sum()) for batch in DataLoader(Asking(), num_workers=2)) == 0
    mp.spawn(spawned, nprocs=2)
    for environment in (None, dict(os.environ)):
        assert subprocess.call([sys.executable, "-c", ASK], env=environment) == 0
    line = 'CUDA_VISIBLE_DEVICES=0 "$0" -c "$1"'
    assert subprocess.call(["sh", "-c", line, sys.executable, ASK]) == 0
