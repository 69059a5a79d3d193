#### a layer of a vision transformer
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.scale = (dim // heads) ** -0.5
        self.attn_drop = nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = self.qkv(x).unbind(0)
        # the scores
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)

        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(2, 4, 8)
        return self.proj(x)
#### with tune=yes
#### after
import torch
import torch_npu
from torch import nn

def fuses(query, key, value, hidden=None):
    """Whether npu_fusion_attention takes these: 16-bit numbers on an NPU, shapes that fit."""
    fits = query.is_npu and query.dim() == key.dim() == value.dim() == 4
    fits = fits and query.shape[:2] == key.shape[:2] == value.shape[:2]
    if fits and hidden is not None:
        fits = hidden.shape[-2:] == (query.shape[2], key.shape[2])
        fits = fits and hidden.shape[:-2] in ((), (1, 1), (query.shape[0], 1), query.shape[:2])
    short = query.dtype in (torch.float16, torch.bfloat16)
    return fits and short and query.dtype == key.dtype == value.dtype


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.scale = (dim // heads) ** -0.5
        self.attn_drop = nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = self.qkv(x).unbind(0)
        # the scores
        if fuses(q, k, v) and (self.attn_drop.p == 0 or not self.attn_drop.training):
            x = (torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", scale=self.scale)[0]).transpose(1, 2).reshape(2, 4, 8)
        else:
            attn = (q @ k.transpose(-2, -1)) * self.scale
            attn = attn.softmax(dim=-1)

            attn = self.attn_drop(attn)
            x = (attn @ v).transpose(1, 2).reshape(2, 4, 8)
        return self.proj(x)
#### findings
13 auto-check
#### a causal mask, a division, functions
import math
import torch
import torch.nn.functional as F

def attend(q, k, v, seen):
    att = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
    att = att.masked_fill(seen[:, :, :4, :4] == 0, float('-inf'))
    att = F.softmax(att, -1)
    y = torch.matmul(att, v)
    return y
#### with tune=yes
#### after
import math
import torch
import torch_npu
import torch.nn.functional as F

def fuses(query, key, value, hidden=None):
    """Whether npu_fusion_attention takes these: 16-bit numbers on an NPU, shapes that fit."""
    fits = query.is_npu and query.dim() == key.dim() == value.dim() == 4
    fits = fits and query.shape[:2] == key.shape[:2] == value.shape[:2]
    if fits and hidden is not None:
        fits = hidden.shape[-2:] == (query.shape[2], key.shape[2])
        fits = fits and hidden.shape[:-2] in ((), (1, 1), (query.shape[0], 1), query.shape[:2])
    short = query.dtype in (torch.float16, torch.bfloat16)
    return fits and short and query.dtype == key.dtype == value.dtype


def attend(q, k, v, seen):
    if fuses(q, k, v, seen[:, :, :4, :4] == 0):
        y = torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", atten_mask=seen[:, :, :4, :4] == 0, scale=1 / math.sqrt(q.size(-1)))[0]
    else:
        att = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
        att = att.masked_fill(seen[:, :, :4, :4] == 0, float('-inf'))
        att = F.softmax(att, -1)
        y = torch.matmul(att, v)
    return y
#### only noted without --tune
import torch
def attend(q, k, v):
    w = q @ k.transpose(-2, -1)
    w = w.softmax(-1)
    return w @ v
#### findings
3 info
