"""Train models that two ranks divide among themselves, and print what they compute.

Usage: ``torch_sharded.py cuda|npu FILE``. The losses on the pretended GPU and on the emulated NPU
are compared by the test.
"""

import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

KIND = sys.argv[1]
if KIND == "npu":
    import torch_npu  # noqa: F401
BACKEND = {"cuda": "nccl", "npu": "hccl"}[KIND]
RANKS = 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        return x + self.drop(self.down(torch.relu(self.up(self.norm(x)))))


def train(model, optimizer, batches):
    for x in batches:
        loss = model(x).float().square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def batches(rank):
    generator = torch.Generator().manual_seed(rank)
    return [torch.randn(4, 8, generator=generator).to(KIND) for _ in range(3)]


def fully_sharded(rank, mesh):
    """Weights made on "meta", drawn as DTensors, in bfloat16; and weights that stay on the CPU."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard

    torch.manual_seed(3)
    with torch.device("meta"):
        model = nn.Sequential(Block(), Block())
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    model.to_empty(device=KIND)
    for part in model.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    assert model[0].up.weight.device.type == KIND
    found = list(train(model, torch.optim.AdamW(model.parameters(), 0.01), batches(rank)))
    whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    found.append(sum(one.float().sum().item() for one in whole.values()))
    torch.manual_seed(4)
    model = fully_shard(Block(), mesh=mesh, offload_policy=CPUOffloadPolicy())
    found += train(model, torch.optim.SGD(model.parameters(), 0.1), batches(rank))
    return found


def divided_by_tensors(rank, mesh):
    """Tensor parallel layers, and random numbers of shards and of copies."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, rand
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        SequenceParallel,
        parallelize_module,
    )

    torch.manual_seed(5)
    plan = {
        "norm": SequenceParallel(sequence_dim=0),
        "up": ColwiseParallel(input_layouts=Shard(0)),
        "down": RowwiseParallel(output_layouts=Shard(0)),
    }
    model = parallelize_module(Block().to(KIND), mesh, plan)
    found = list(train(model, torch.optim.AdamW(model.parameters(), 0.01), batches(rank)))
    shards, copies = (
        rand(2, 2, device_mesh=mesh, placements=[one]) for one in (Shard(0), Replicate())
    )
    top, bottom = shards.full_tensor().tolist()
    assert top != bottom
    weight = distribute_tensor(torch.ones(4, 2, device=KIND), mesh, [Shard(0)]).requires_grad_()
    (weight * 2).sum().backward()
    assert weight.grad.full_tensor().tolist() == [[2.0] * 2] * 4
    dropped = nn.functional.dropout(weight.detach(), 0.5).full_tensor()
    return [*found, *top, *bottom, copies.to_local().sum().item(), *dropped.flatten().tolist()]


def wrapped(rank, mesh):
    """FullyShardedDataParallel, and an optimizer whose state the ranks share."""
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.optim import ZeroRedundancyOptimizer

    torch.manual_seed(6)
    model = FullyShardedDataParallel(Block(), device_id=rank)
    found = list(train(model, torch.optim.AdamW(model.parameters(), 0.01), batches(rank)))
    torch.manual_seed(7)
    model = nn.parallel.DistributedDataParallel(Block().to(rank), device_ids=[rank])
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
    return [*found, *train(model, optimizer, batches(rank))]


def joined(rank, path):
    from torch.distributed.device_mesh import init_device_mesh

    getattr(torch, KIND).set_device(rank)
    store = dist.FileStore(f"{path}.store", RANKS)
    dist.init_process_group(BACKEND, store=store, rank=rank, world_size=RANKS)
    mesh = init_device_mesh(KIND, (RANKS,))
    found = {
        part.__name__: part(rank, mesh) for part in (fully_sharded, divided_by_tensors, wrapped)
    }
    Path(f"{path}-{rank}.json").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    try:
        from torch.distributed.fsdp import fully_shard  # noqa: F401
        from torch.distributed.tensor import rand  # noqa: F401
    except ImportError:
        print("this release has no fully_shard in torch.distributed.fsdp")
        sys.exit()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    mp.spawn(joined, (sys.argv[2],), RANKS)
