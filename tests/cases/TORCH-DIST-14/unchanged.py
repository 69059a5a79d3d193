#### nobody asked for it
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
torch.save(model, 'a.pt')
#### what computes on every process, folders that must not be there yet, records
import os
import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from torchvision.utils import save_image
os.makedirs('out')
os.makedirs('out2', exist_ok=True)
writer = SummaryWriter()
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
    save_image(model(x), 'out/x.png')
    if ready: save_image(x, 'out/x.png')
#### with add_distribution=yes
#### findings
8 info
