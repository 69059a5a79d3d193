#### queries and keys
import torch

def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)

def apply(q, k, cos, sin):
    q_embed = (q * cos[None]) + (rotate_half(q) * sin.unsqueeze(1))
    return q_embed, self.sin * rotate_half(k) + k * self.cos
#### with tune=yes
#### after
import torch
import torch_npu

def rotary_mul(x, cos, sin):
    """Rotate positions; on an NPU with one operator, where it takes the shapes and types."""
    same = x.dtype == cos.dtype == sin.dtype and x.dim() == cos.dim() == sin.dim() == 4
    if x.is_npu and same and x.shape[-1] < 896:
        return torch_npu.npu_rotary_mul(x, cos, sin)
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)

def apply(q, k, cos, sin):
    q_embed = rotary_mul(q, cos[None], sin.unsqueeze(1))
    return q_embed, rotary_mul(k, self.cos, self.sin)
#### findings
10 auto
11 auto
#### a function of another file, and a release that takes heads of 128 only
from layers import turn

def apply(q, cos, sin):
    return q * cos + turn(q) * sin
#### file layers.py
import torch
def turn(x):
    a, b = torch.chunk(x, 2, dim=-1)
    return torch.cat([-b, a], dim=-1)
#### with tune=yes torch_npu=2.4.0
#### after
from layers import turn
import torch
import torch_npu

def rotary_mul(x, cos, sin):
    """Rotate positions; on an NPU with one operator, where it takes the shapes and types."""
    same = x.dtype == cos.dtype == sin.dtype and x.dim() == cos.dim() == sin.dim() == 4
    if x.is_npu and same and x.shape[-1] == 128:
        return torch_npu.npu_rotary_mul(x, cos, sin)
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


def apply(q, cos, sin):
    return rotary_mul(q, cos, sin)
