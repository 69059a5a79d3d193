#### once in a file
import torch

a = torch.device(0)
b = torch.zeros(3).to(0)
c = torch.nn.Linear(1, 1).to(1)
#### findings
3 info
#### the second place of a device
import torch

a = torch.device('npu', 0)
b = torch.zeros(3).to(torch.half)
c = torch.zeros(3).to(device)
#### something else's to()
import torch

date.to(0)
#### a truth value
import torch

x = torch.zeros(3).to(True)
#### the switch turns numbers into devices
import torch

x = torch.zeros(3).to(0)
#### with style=transfer
#### numbers of sizes
import torch

x = torch.zeros(0)
