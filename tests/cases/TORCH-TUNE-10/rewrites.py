#### labels of a loader
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

def train(model):
    for images, labels in DataLoader(data):
        images, labels = images.npu(), labels.npu()
        output = model(images)
        loss = F.cross_entropy(output, labels)
        right = output.argmax(1).eq(labels.view(-1)).sum() + (output.argmax(1) == labels).sum()
        count = labels.size(0) + len(labels) + labels.shape[0]
#### with tune=yes
#### after
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

def int32(labels):
    """Class numbers in 32 bits on an NPU, whose losses take both; anything else as it is."""
    return labels.int() if labels.is_npu and labels.dtype == torch.int64 else labels


def train(model):
    for images, labels in DataLoader(data):
        images, labels = images.npu(), int32(labels.npu())
        output = model(images)
        loss = F.cross_entropy(output, labels)
        right = output.argmax(1).eq(labels.view(-1)).sum() + (output.argmax(1) == labels).sum()
        count = labels.size(0) + len(labels) + labels.shape[0]
#### findings
7 auto
#### a criterion, an assignment of its own
import torch
from torch import nn
from torch.utils.data import DataLoader

criterion = nn.CrossEntropyLoss(weight=weights).npu()
for step, (x, y) in enumerate(DataLoader(data)):
    y = y.to(device, non_blocking=True)
    loss = criterion(model(x.to(device)), y)
#### with tune=yes
#### after
import torch
from torch import nn
from torch.utils.data import DataLoader

criterion = nn.CrossEntropyLoss(weight=weights).npu()
def int32(labels):
    """Class numbers in 32 bits on an NPU, whose losses take both; anything else as it is."""
    return labels.int() if labels.is_npu and labels.dtype == torch.int64 else labels


for step, (x, y) in enumerate(DataLoader(data)):
    y = int32(y.to(device, non_blocking=True))
    loss = criterion(model(x.to(device)), y)
#### positions
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = nn.Embedding(8, 4)

    def forward(self, x):
        place = torch.arange(0, 8, dtype=torch.long, device=x.device).unsqueeze(0)
        return self.places(place) + self.places(torch.arange(8, device=x.device))
#### with tune=yes
#### after
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = nn.Embedding(8, 4)

    def forward(self, x):
        place = torch.arange(0, 8, dtype=torch.int32, device=x.device).unsqueeze(0)
        return self.places(place) + self.places(torch.arange(8, device=x.device, dtype=torch.int32))
#### findings
10 auto
11 auto
#### only noted without --tune
import torch
from torch import nn
places = nn.Embedding(8, 4)
y = places(torch.arange(8))
#### findings
4 info
