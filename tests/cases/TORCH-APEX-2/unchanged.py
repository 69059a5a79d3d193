#### torch's own
from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(model)
#### a sum instead of a mean
from apex.parallel import DistributedDataParallel as DDP
model = DDP(model, gradient_average=False)
#### findings
2 manual
#### arguments that cannot be seen
from apex.parallel import DistributedDataParallel as DDP
model = DDP(model, **options)
#### findings
2 manual
#### another layout
from apex.parallel import convert_syncbn_model, SyncBatchNorm
model = convert_syncbn_model(model, channel_last=True)
layer = SyncBatchNorm(3, fuse_relu=True)
#### findings
2 manual
3 manual
#### passed on
from apex.parallel import DistributedDataParallel as DDP
wrap(DDP)
#### findings
2 manual
#### LARC
from apex.parallel import LARC
optimizer = LARC(optimizer)
#### findings
2 manual
#### a class of the project
from mylib.parallel import DistributedDataParallel
model = DistributedDataParallel(model, delay_allreduce=True)
#### in a message
import torch
print('install apex.parallel')
