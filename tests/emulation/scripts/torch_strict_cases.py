"""Strict mode for PyTorch: each line is reported with the codes behind it, and no other line is."""

import os

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional as F  # noqa: N812

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # EMU-TORCH-CUDA-4
os.environ.get("NCCL_DEBUG")  # EMU-TORCH-CUDA-4
os.environ["OMP_NUM_THREADS"] = "1"

# what is left of CUDA
assert not torch.cuda.is_available()  # EMU-TORCH-CUDA-1
assert torch.cuda.device_count() == 0  # EMU-TORCH-CUDA-1
torch.cuda.manual_seed_all(3)  # EMU-TORCH-CUDA-2
torch.cuda.empty_cache()  # EMU-TORCH-CUDA-2
# PyTorch before 2.3 has one class for each device
scaler = getattr(torch.amp, "GradScaler", None)
scaler("cuda") if scaler else torch.cuda.amp.GradScaler()  # EMU-TORCH-CUDA-3
torch.npu.amp.GradScaler()
torch.cuda.amp.GradScaler()  # EMU-TORCH-CUDA-3
with torch.autocast("cuda"):  # EMU-TORCH-CUDA-3
    pass
with torch.autocast("cpu"):
    pass
torch.npu.manual_seed_all(3)

# operators and types
x = torch.arange(24.0).reshape(4, 6).npu()
torch.mode(x)  # EMU-TORCH-OP-1
F.avg_pool3d(torch.ones(1, 1, 4, 4, 4).npu(), 2)  # EMU-TORCH-OP-1
torch.topk(x, 2)  # EMU-TORCH-OP-2
torch.topk(x, 1)
double = x.double()
torch.mm(double, double.t())  # EMU-TORCH-TYPE-1
torch.add(double, double)  # EMU-TORCH-TYPE-2
double.float().cpu().double().sum()
wide = torch.complex(x, x)  # the vendor supports this one
wide.cpu()
torch.mm(wide, wide.t())  # EMU-TORCH-TYPE-1

# shapes and layouts
torch.nonzero(x)  # EMU-TORCH-SHAPE-1
x[x > 3]  # EMU-TORCH-SHAPE-1
x[torch.tensor([0, 1]).npu()]
torch.where(x > 3, x, x)
image = torch.ones(1, 3, 4, 4).npu().to(memory_format=torch.channels_last)  # EMU-TORCH-LAYOUT-1
F.conv2d(torch.ones(1, 3, 4, 4).npu(), torch.ones(2, 3, 3, 3).npu())
F.conv2d(torch.ones(1, 4, 4, 3).npu().permute(0, 3, 1, 2), torch.ones(2, 3, 3, 3).npu())


class Net(nn.Module):
    """A network whose middle is nobody's business."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 5), nn.Linear(5, 1)
        self.unused = nn.Linear(2, 2)

    def forward(self, batch):
        """Compute; in the engine's thread the line is that of backward()."""
        return self.last(torch.relu(self.first(batch)))


net = Net().npu()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
others = torch.optim.SGD([torch.ones(2, requires_grad=True, device="npu")], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    optimizer.step()  # EMU-TORCH-OPT-1
    others.step()  # EMU-TORCH-OPT-1
    if loss > 1e9:  # EMU-TORCH-SYNC-1
        break
    float(loss)  # EMU-TORCH-SYNC-1
    loss.detach().cpu()  # EMU-TORCH-SYNC-1
    print(loss)  # EMU-TORCH-SYNC-1
    torch.npu.synchronize()  # EMU-TORCH-SYNC-1
    if step == 3:
        print(net.first.weight, loss.item())
