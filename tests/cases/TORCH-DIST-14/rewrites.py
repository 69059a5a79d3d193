#### checkpoints, folders, pictures
import os
import numpy
import torch
from torch import save
from torch.utils.data import DataLoader
from torchvision.utils import save_image
if not os.path.exists('out'):
    os.mkdir('out')
if not os.path.isdir(folder):
    os.makedirs(folder)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    save_image(x.cpu(),
               'out/x.png')
    save(model.state_dict(), 'a.pt')
torch.save({'model': model.state_dict(),  # the weights
            'epoch': 3}, 'b.pt')
#### with add_distribution=yes
#### after
import npu_ddp
import os
import numpy
import torch
from torch import save
from torch.utils.data import DataLoader
from torchvision.utils import save_image
if not os.path.exists('out'):
    os.makedirs('out', exist_ok=True)
if not os.path.isdir(folder):
    os.makedirs(folder, exist_ok=True)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    if npu_ddp.is_main():
        save_image(x.cpu(),
               'out/x.png')
    npu_ddp.save(model.state_dict(), 'a.pt')
npu_ddp.save({'model': model.state_dict(),  # the weights
            'epoch': 3}, 'b.pt')
#### findings
8 auto
10 auto
17 auto
19 auto
20 auto
#### a file that the program imports
import torch
from torch.utils.data import DataLoader
import files
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
torch.save(model, files.name)
#### file files.py
import torch
name = 'a.pt'
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
import files
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
npu_ddp.save(model, files.name)
