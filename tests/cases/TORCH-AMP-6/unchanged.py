#### a loss, reported once
import math, torch
if not math.isfinite(loss_value):
    stop()
if torch.isnan(loss).any():
    stop()
#### findings
2 info
#### a gradient
import torch
bad = torch.isinf(p.grad).any()
#### findings
2 info
#### something else
import math, torch
if math.isnan(price) or torch.isnan(x).any():
    pass
#### somebody else's
import torch
from mylib import isfinite
isfinite(loss)
#### no argument
import torch
check = torch.isfinite
