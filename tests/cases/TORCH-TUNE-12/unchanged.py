#### scores that something else reads
import torch
def attend(q, k, v):
    w = q @ k.transpose(-2, -1)
    w = w.softmax(-1)
    y = w @ v
    return y, w
#### with tune=yes
#### findings
#### a finite mask, an addition, another dimension, another type
import torch
def a(q, k, v, mask):
    w = q @ k.transpose(-2, -1)
    w = w.masked_fill(mask == 0, -1e9)
    w = w.softmax(-1)
    return w @ v
def b(q, k, v, bias):
    w = q @ k.transpose(-2, -1)
    w = w + bias
    w = w.softmax(-1)
    return w @ v
def c(q, k, v):
    w = q @ k.transpose(-2, -1)
    w = w.softmax(1)
    return w @ v
def d(q, k, v):
    w = q @ k.transpose(-2, -1)
    w = w.softmax(-1, dtype=torch.float32)
    return w @ v
#### with tune=yes
#### findings
#### a scale that may be a tensor, a product of others, dropout as a function
import torch
import torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, q, k, v):
        w = q @ k.transpose(-2, -1) * self.scale
        w = w.softmax(-1)
        return w @ v
def a(q, k, v):
    w = q @ k
    w = w.softmax(-1)
    return w @ v
def b(q, k, v):
    w = q @ k.transpose(-2, -1)
    w = w.softmax(-1)
    w = F.dropout(w, 0.1)
    return w @ v
def c(q, k, v):
    w = q @ k.transpose(1, 2)
    w = w.softmax(-1)
    return w @ v
#### with tune=yes
#### findings
#### scores of a module's own function, and a call of the operator that is there already
import torch
import torch_npu
def attend(q, k, v):
    if q.is_npu:
        return torch_npu.npu_fusion_attention(q, k, v, 4, "BNSD")[0]
    w = q @ k.transpose(-2, -1)
    w = w.softmax(-1)
    return w @ v
#### with tune=yes
#### findings
