#### what is supported
import torch
import torch.nn as nn
a = nn.Linear(8, 8)
b = nn.Conv2d(3, 8, 3)
c = torch.zeros(3).sum()
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
#### memory that processes share
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
net = Net()
net.share_memory()
x = torch.zeros(3)
x.share_memory_()
#### findings
8 manual
10 info
#### a method of the user's
class Arena:
    def share_memory(self):
        return self
import torch
Arena().share_memory()
