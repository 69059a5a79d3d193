#### what is supported
import torch
import torch.nn as nn
a = nn.Linear(8, 8)
b = nn.Conv2d(3, 8, 3)
c = torch.zeros(3).sum()
#### what runs on the host anyway
import torch
x = torch.zeros(3)
x.share_memory_()
#### a class of the user's
import torch
class RNN(torch.nn.Module):
    pass
a = RNN()
#### asking what something is
import torch
from torch import nn
def f(m):
    if isinstance(m, (nn.RNNBase, nn.Linear)) or issubclass(type(m), nn.RNNBase):
        return 1
    return type(m) == nn.RNNBase
