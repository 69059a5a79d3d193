"""Two ranks that normalise their batches together; migrated by replacing two names."""

import os

import torch
import torch.distributed as dist
from torch import nn

rank = int(os.environ["RANK"])
dist.init_process_group("nccl")
torch.cuda.set_device(rank)
torch.manual_seed(2)
model = nn.Sequential(
    nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)
)
model(torch.randn(2, 3, 8, 8))
model = nn.SyncBatchNorm.convert_sync_batchnorm(model).cuda()
model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(6):
    torch.manual_seed(10 * step + rank)
    loss = model((1 + rank) * torch.randn(4, 3, 8, 8).cuda() + rank).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
