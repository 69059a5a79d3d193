#### reported unless requested
import torch
correct_k = correct[:k].view(-1).float().sum(0)
#### findings
2 manual
#### other views
import torch
a = x.view(-1)
b = x[:, 1].view(-1)
c = x[0].view(-1)
d = x[:k].view(2, -1)
e = x[1:].view(-1)
#### reshape already
import torch
a = correct[:k].reshape(-1)
