#### labels that something else reads
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

for x, y in DataLoader(data):
    y = y.npu()
    loss = F.cross_entropy(model(x), y)
    one_hot = F.one_hot(y, 10)
for x, y in DataLoader(data):
    y = y.npu()
    loss = F.cross_entropy(model(x), y)
    chosen = model(x).gather(1, y.unsqueeze(1))
for x, y in DataLoader(data):
    y = y.npu()
    loss = F.cross_entropy(model(x), y)
    history.append(y)
for x, y in DataLoader(data):
    y = y.npu()
    loss = F.cross_entropy(model(x), y)
    y = y + 1
#### with tune=yes
#### findings
#### labels that no loader yields, or that stay on the host
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

y = torch.randint(0, 3, (4,)).npu()
loss = F.cross_entropy(x, y)
for x, y in DataLoader(data):
    loss = F.cross_entropy(x, y)
for x, y in rows:
    y = y.npu()
    loss = F.cross_entropy(x, y)
#### with tune=yes
#### findings
#### a loss that looks up weights by class numbers, one of numbers, and one of the project
import torch
from mine import Loss
from torch import nn
from torch.utils.data import DataLoader

smooth = nn.CrossEntropyLoss(weight=weights, label_smoothing=0.1)
squares = nn.MSELoss()
loss_of = Loss()
for x, y in DataLoader(data):
    y = y.npu()
    loss = smooth(model(x), y)
for x, y in DataLoader(data):
    y = y.npu()
    loss = squares(model(x), y)
for x, y in DataLoader(data):
    y = y.npu()
    loss = loss_of(model(x), y)
#### with tune=yes
#### findings
#### numbers that something else uses
import torch
from torch import nn
places = nn.Embedding(8, 4)
a = torch.arange(8)
b = places(a) + a
c = torch.arange(8)
d = torch.arange(8, dtype=torch.float32)
e = places(torch.arange(8, dtype=torch.int32))
f = places(rows[torch.arange(8)])
g = other(torch.arange(8))
#### with tune=yes
#### findings
