#### numbers stay numbers
from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(model, device_ids=[rank], output_device=rank)
model = DDP(model)
#### a variable
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh(device_type, (8,))
#### already migrated
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh('npu', (8,))
mesh = init_device_mesh('cpu', (8,))
#### the switch covers these
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh('cuda', (8,))
#### with style=transfer
#### somebody else's mesh
from jaxlib import init_device_mesh
mesh = init_device_mesh('cuda', (8,))
#### names of dimensions
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh('npu', (2, 4), mesh_dim_names=('cuda', 'x'))
#### a sharded model without a device
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
model = FSDP(model, sharding_strategy=s)
#### findings
2 info
#### a sharded model with a device
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
model = FSDP(model, device_id=torch.npu.current_device())
model = FSDP(model, **options)
