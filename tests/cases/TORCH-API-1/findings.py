#### modules and functions, once a file
import torch
import torch.nn as nn
import torch.nn.functional as F
rnn = nn.RNN(8, 16)
other = nn.RNN(8, 16)
x = F.gumbel_softmax(torch.zeros(2, 2))
#### findings
4 manual
6 manual
#### through an alias
import torch
pool = torch.nn.modules.pooling.MaxPool3d(2)
#### findings
2 manual
#### requested, and used
from torch import nn
def f(m):
    return isinstance(m, nn.RNNBase)
class Mine(nn.RNNBase):
    pass
#### findings
4 manual
