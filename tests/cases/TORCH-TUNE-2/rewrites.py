#### what a loader yields
from torch.utils.data import DataLoader

loader = DataLoader(data, batch_size=8)
for images, labels in loader:
    images = images.to(device)
    labels = labels.cuda()
#### with tune=yes
#### after
from torch.utils.data import DataLoader

loader = DataLoader(data, batch_size=8, pin_memory=True)
for images, labels in loader:
    images = images.to(device, non_blocking=True)
    labels = labels.cuda(non_blocking=True)
#### findings
3 auto
5 auto
6 auto
#### counted, with a bar, as a tuple, as a dictionary, in parts
import torch
from tqdm import tqdm
from torch.utils.data import DataLoader

loader = DataLoader(data, pin_memory=True)
for step, batch in enumerate(tqdm(loader, desc="train")):
    x, y = batch[0].to("npu:0"), batch["label"].npu(0)
    image, label = batch
    image = image.to(device, torch.float16)
    batch = {name: value.to(device) for name, value in batch.items()}
#### with tune=yes
#### after
import torch
from tqdm import tqdm
from torch.utils.data import DataLoader

loader = DataLoader(data, pin_memory=True)
for step, batch in enumerate(tqdm(loader, desc="train")):
    x, y = batch[0].to("npu:0", non_blocking=True), batch["label"].npu(0, non_blocking=True)
    image, label = batch
    image = image.to(device, torch.float16, non_blocking=True)
    batch = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
#### a device that may be the host, a loader that another function sees
import torch
device = 'cuda' if torch.cuda.is_available() else 'cpu'
loader = torch.utils.data.DataLoader(data, pin_memory=True)
def train():
    for step, (inputs, targets) in enumerate(loader):
        inputs, targets = inputs.to(device), targets.to(device)
#### with tune=yes
#### after
import torch
device = 'cuda' if torch.cuda.is_available() else 'cpu'
loader = torch.utils.data.DataLoader(data, pin_memory=True)
def train():
    for step, (inputs, targets) in enumerate(loader):
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)
#### a loader that is passed to a function
import torch
from torch.utils.data import DataLoader

def train(model, loader, device):
    for x in loader:
        model(x.to(device))

train(model, DataLoader(data, 8), torch.device("npu"))
#### with tune=yes
#### after
import torch
from torch.utils.data import DataLoader

def train(model, loader, device):
    for x in loader:
        model(x.to(device, non_blocking=True))

train(model, DataLoader(data, 8, pin_memory=True), torch.device("npu"))
#### before PyTorch 2.7 the device is named
from torch.utils.data import DataLoader

for x in DataLoader(data):
    x.cuda()
#### with tune=yes torch_npu=2.4.0
#### after
from torch.utils.data import DataLoader

for x in DataLoader(data, pin_memory=True, pin_memory_device='npu'):
    x.cuda(non_blocking=True)
