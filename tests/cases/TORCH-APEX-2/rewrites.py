#### the wrapper
import torch
from apex.parallel import DistributedDataParallel as DDP
model = DDP(model, delay_allreduce=True)
#### after
import torch
from apex.parallel import DistributedDataParallel as DDP
model = torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)
#### findings
3 auto-check
#### the wrapper with nothing said, through the package
import torch
import apex
model = apex.parallel.DistributedDataParallel(model)
#### after
import torch
import apex
model = torch.nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)
#### several lines, a remark
import torch
from apex.parallel import DistributedDataParallel
self.model = DistributedDataParallel(
    model,
    message_size=250000000,  # as one
    gradient_predivide_factor=1.0,
)
#### after
import torch
from apex.parallel import DistributedDataParallel
# as one
self.model = torch.nn.parallel.DistributedDataParallel(
    model, broadcast_buffers=False,
)
#### batch normalisation
import torch
import apex
model = apex.parallel.convert_syncbn_model(model)
layer = apex.parallel.SyncBatchNorm(64, eps=1e-4)
#### after
import torch
import apex
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
layer = torch.nn.SyncBatchNorm(64, eps=1e-4)
#### a test of the type
import torch
from apex.parallel import DistributedDataParallel as DDP
if isinstance(model, DDP):
    model = model.module
#### after
import torch
from apex.parallel import DistributedDataParallel as DDP
if isinstance(model, torch.nn.parallel.DistributedDataParallel):
    model = model.module
