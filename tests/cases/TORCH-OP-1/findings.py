#### types
import torch
a = torch.zeros(1, dtype=torch.float64)
b = torch.zeros(1, dtype=torch.double)
#### findings
2 manual
#### methods of tensors and modules
import torch
x = torch.zeros(3)
y = x.double()
model = torch.nn.Linear(2, 2)
model.double()
#### findings
3 manual
5 manual
