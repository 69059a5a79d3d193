#### shuffled data, or a loader named for training
import torch
from torch.utils.data import DataLoader

a = DataLoader(data, batch_size=8, shuffle=True)
train_loader = torch.utils.data.DataLoader(data, 64, sampler=sampler, drop_last=False)
#### findings
4 info
5 info
#### it is dropped, or somebody decides
from torch.utils.data import DataLoader

train_a = DataLoader(data, 64, drop_last=True)
train_b = DataLoader(data, 64, drop_last=args.drop)
train_c = DataLoader(data, **options)
train_d = DataLoader(data, batch_sampler=batches)
#### one sample at a time
from torch.utils.data import DataLoader

train_a = DataLoader(data, shuffle=True)
train_b = DataLoader(data, batch_size=1, shuffle=True)
train_c = DataLoader(data, batch_size=None, shuffle=True)
#### evaluation
from torch.utils.data import DataLoader

val_loader = DataLoader(data, batch_size=8, shuffle=False)
loader = DataLoader(data, batch_size=8)
#### another loader
from library import DataLoader

train = DataLoader(data, batch_size=8, shuffle=True)
#### shuffled data to validate with
import torch
valid_loader = torch.utils.data.DataLoader(valid_dataset, batch_size=8, shuffle=True)
loader = torch.utils.data.DataLoader(test_set, batch_size=8, shuffle=True)
