#### noted without --tune
import torch
def half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)
y = q * cos + half(q) * sin
#### findings
5 info
#### another rotation
import torch
def interleaved(x):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((-b, a), -1).flatten(-2)
def other_way(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((b, -a), dim=-1)
def first_dimension(x):
    a, b = x.chunk(2, dim=0)
    return torch.cat((-b, a), dim=0)
def thirds(x):
    a = x[..., : x.shape[-1] // 3]
    b = x[..., x.shape[-1] // 3 :]
    return torch.cat((-b, a), dim=-1)
a = q * cos + interleaved(q) * sin
b = q * cos + other_way(q) * sin
c = q * cos + first_dimension(q) * sin
d = q * cos + thirds(q) * sin
e = q * cos + unknown(q) * sin
#### with tune=yes
#### not that sum
import torch
def half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)
a = q * cos - half(q) * sin
b = q * cos + half(k) * sin
c = q() * cos + half(q()) * sin
d = q + half(q) * sin
#### with tune=yes
