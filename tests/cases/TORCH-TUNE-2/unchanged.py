#### noted without --tune
from torch.utils.data import DataLoader

loader = DataLoader(data, batch_size=8)
for images in loader:
    images = images.to(device)
#### findings
3 info
5 info
#### to the host, or to another type, or decided already
import torch
from torch.utils.data import DataLoader

loader = DataLoader(data, pin_memory=False)
for x, y in loader:
    y = y.to("cpu")
    x = x.to(torch.float16)
    x = x.to(device, non_blocking=False)
    x = x.to(other)
    x.to(device, torch.float16, True)
    x.to(**options)
#### with tune=yes
#### nobody copies what the loader yields: it may be on the device already
from torch.utils.data import DataLoader

loader = DataLoader(TensorDataset(values.to(device)), batch_size=8)
for x in loader:
    y = model(x).to(device)
#### with tune=yes
#### something else
import torch
from library import DataLoader

for x in DataLoader(data):
    x = x.to(device)
for name, value in model.state_dict().items():
    value = value.to(device)
model.to(device)
#### with tune=yes
#### what the loop made of it
from torch.utils.data import DataLoader

for x in DataLoader(data, pin_memory=True):
    x = model(x)
    x = x.to(device)
    z = x
    z.to(device)
#### with tune=yes
