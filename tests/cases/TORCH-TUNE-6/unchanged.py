#### noted without --tune
import torch.nn.functional as F
y = F.silu(a) * b
#### findings
2 info
#### another function, or no product
import torch.nn.functional as F
a = F.gelu(x) * y
b = F.silu(x) + y
c = F.silu(x)
d = act(x) * y
e = y * F.silu(x)
f = F.silu(x, inplace=True) * x
g = F.silu(x) / y
#### with tune=yes
