#### numpy's names for Python's types
import numpy as np
import torch
a = np.zeros(8, dtype=np.int)
b = x.astype(np.float)
c = np.bool
#### with fix_drift=yes
#### after
import numpy as np
import torch
a = np.zeros(8, dtype=int)
b = x.astype(float)
c = bool
#### pictures and collections
import collections
import torch
from PIL import Image
x = image.resize((8, 8), Image.ANTIALIAS)
y = isinstance(z, collections.Iterable)
#### with fix_drift=yes
#### after
import collections
import torch
from PIL import Image
x = image.resize((8, 8), Image.LANCZOS)
y = isinstance(z, collections.abc.Iterable)
#### infinity
import torch
from torch._six import inf
#### with fix_drift=yes
#### after
import torch
from math import inf
#### a scheduler that reports, which PyTorch 2.7 removed
import torch
from torch.optim import lr_scheduler
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, verbose=True)
step = lr_scheduler.StepLR(
    optimizer,
    verbose=False,
    step_size=2,
)
#### with fix_drift=yes
#### after
import torch
from torch.optim import lr_scheduler
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
step = lr_scheduler.StepLR(
    optimizer,
    step_size=2,
)
#### findings
3 auto
4 auto
#### the next batch, by the name of Python 2
import torch
from torch.utils.data import DataLoader
loader = DataLoader(data)
batches = iter(loader)
images, labels = batches.next()
shape = loader.__iter__().next()[0].size()
#### with fix_drift=yes
#### after
import torch
from torch.utils.data import DataLoader
loader = DataLoader(data)
batches = iter(loader)
images, labels = next(batches)
shape = next(loader.__iter__())[0].size()
#### findings
5 auto
6 auto
#### both only reported
import torch
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, verbose=True)
batch = iter(torch.utils.data.DataLoader(data)).next()
#### findings
2 manual
3 manual
