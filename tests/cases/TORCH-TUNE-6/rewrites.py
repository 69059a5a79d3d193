#### a gated layer
import torch
import torch.nn as nn
import torch.nn.functional as F

class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.SiLU()

    def forward(self, x):
        a = self.w2(F.silu(self.w1(x)) * self.w3(x))
        return self.act(a) * x[0]
#### with tune=yes
#### after
import torch
import torch_npu
import torch.nn as nn
import torch.nn.functional as F

def swiglu(gate, up):
    """SiLU of one tensor times another; on an NPU with one operator, where they are alike."""
    if gate.is_npu and gate.shape == up.shape and gate.dtype == up.dtype:
        return torch_npu.npu_swiglu(torch.cat((gate, up), dim=-1), dim=-1)
    return torch.nn.functional.silu(gate) * up


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.SiLU()

    def forward(self, x):
        a = self.w2(swiglu(self.w1(x), self.w3(x)))
        return swiglu(a, x[0])
#### findings
11 auto
12 auto
