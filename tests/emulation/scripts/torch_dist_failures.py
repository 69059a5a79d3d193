"""One rank of two that fails its partner in some way; the error of the partner is printed."""

import datetime
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch import nn

PATIENCE = datetime.timedelta(seconds=4)
"""From the moment on when both ranks have loaded PyTorch."""
ENDED = Path("ended")
"""Exists when a rank has got its error."""


def backward_after_death(rank, tensor):
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 4).npu())
    loss = model(tensor).sum()
    if rank == 1:
        os._exit(3)
    loss.backward()


def receive_from_the_dead(rank, tensor):
    if rank == 1:
        os._exit(3)
    dist.recv(tensor, 1)


def receive_long_after_death(rank, tensor):
    """The connection is known to be closed when the transfer is started."""
    if rank == 1:
        os._exit(3)
    time.sleep(1)
    dist.recv(tensor, 1)


def send_long_after_death(rank, tensor):
    if rank == 1:
        os._exit(3)
    time.sleep(1)
    dist.send(tensor, 1)


def group_with_the_dead(rank, tensor):
    if rank == 1:
        os._exit(3)
    dist.new_group([0, 1])


def collective_alone(rank, tensor):
    if rank == 1:
        wait_for(ENDED)
        return
    dist.all_reduce(tensor)


def meet(rank):
    """Wait for the other rank as long as it takes."""
    Path(f"loaded-{rank}").touch()
    wait_for(Path(f"loaded-{1 - rank}"))


def wait_for(file):
    while not file.exists():
        time.sleep(0.01)


def main(case, rank, store):
    torch.npu.set_device(rank)
    meet(rank)
    dist.init_process_group(
        "hccl",
        init_method=Path(store).resolve().as_uri(),
        rank=rank,
        world_size=2,
        timeout=PATIENCE,
    )
    tensor = torch.ones(4).npu()
    dist.all_reduce(tensor)
    try:
        globals()[case](rank, tensor)
    except RuntimeError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        ENDED.touch()
    os._exit(0)  # no goodbyes to a partner that may be gone


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
