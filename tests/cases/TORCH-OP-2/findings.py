#### functions and methods
import torch
x = torch.zeros(3)
a = torch.nonzero(x)
b = x.nonzero()
c = torch.unique(x)
#### findings
3 info
5 info
