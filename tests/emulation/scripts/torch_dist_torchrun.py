"""A rank under torchrun: where it is and what it trains."""

import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch_npu
from torch import nn

rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.npu.set_device(local_rank)
dist.init_process_group(*sys.argv[2:])
model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1).npu(), device_ids=[local_rank])
with torch.no_grad():
    for parameter in model.parameters():
        parameter.fill_(1.0)
model(torch.full((1, 2), rank + 1.0).npu()).sum().backward()
on_cpu = torch.ones(1)
try:
    dist.all_reduce(on_cpu)
except RuntimeError:
    on_cpu.zero_()
found = {
    "backend": dist.get_backend(),
    "configuration": str(dist.get_backend_config()),
    "device": str(model.module.weight.device),
    "gradient": model.module.weight.grad.tolist(),
    "on_cpu": on_cpu.item(),
    "stand_in": torch_npu.__file__,
}
Path(f"{sys.argv[1]}-{rank}.json").write_text(json.dumps(found))
dist.destroy_process_group()
