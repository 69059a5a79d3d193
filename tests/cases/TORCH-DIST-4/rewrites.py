#### a mesh
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh('cuda', (2, 4), mesh_dim_names=('dp', 'tp'))
#### after
from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh('npu', (2, 4), mesh_dim_names=('dp', 'tp'))
#### findings
2 auto
#### a mesh by its class and by name
import torch.distributed as dist
from torch.distributed._tensor import DeviceMesh
a = DeviceMesh("cuda", [0, 1])
b = dist.init_device_mesh(device_type="cuda", mesh_shape=(2,))
#### after
import torch.distributed as dist
from torch.distributed._tensor import DeviceMesh
a = DeviceMesh("npu", [0, 1])
b = dist.init_device_mesh(device_type="npu", mesh_shape=(2,))
#### devices of a wrapped model
import torch
from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(model, device_ids=['cuda:0'], output_device='cuda:0')
#### after
import torch
from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(model, device_ids=['npu:0'], output_device='npu:0')
