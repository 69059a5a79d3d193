#### gradients in buckets
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model, device_ids=[rank])
#### with tune=yes
#### after
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model, device_ids=[rank], gradient_as_bucket_view=True)
#### findings
4 auto
#### only noted without --tune
import torch
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
#### findings
2 info
#### normalization over all processes: buffers are sent only where others are
import torch
from torch import nn

def main(rank):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(Net())
    model = nn.parallel.DistributedDataParallel(model.npu(), device_ids=[rank])
#### with tune=yes
#### after
import torch
from torch import nn

def buffers_differ(model):
    """Whether processes may come to have other buffers: SyncBatchNorm keeps its own alike."""
    alike = torch.nn.SyncBatchNorm
    owners = (part for part in model.modules() if not isinstance(part, alike))
    return any(True for part in owners for _ in part.buffers(recurse=False))


def main(rank):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(Net())
    model = nn.parallel.DistributedDataParallel(model.npu(), device_ids=[rank], gradient_as_bucket_view=True, broadcast_buffers=buffers_differ(model.npu()))
