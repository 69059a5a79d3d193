#### a dataset with workers
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __getitem__(self, i):
        x = torch.tensor(self.x[i]).cuda()
        return x, self.y[i].to('cuda'), self.z[i].to(device)

    def prepare(self):
        return self.x.cuda()


loader = DataLoader(Images(), batch_size=4, num_workers=8)
#### findings
7 manual
8 manual
8 manual
#### collate functions and initialisers of workers
import torch
from torch.utils.data import DataLoader


def collate(batch):
    return [item.npu() for item in batch]


def start(number):
    table.to('npu:0')


loader = DataLoader(data, collate_fn=collate, num_workers=n, worker_init_fn=start)
other = DataLoader(data, collate_fn=lambda b: b[0].cuda())
#### findings
6 manual
10 manual
14 manual
#### without workers
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __getitem__(self, i):
        return self.x[i].cuda()


loader = DataLoader(Images(), batch_size=4)
#### findings
7 info
#### nobody knows about workers
import torch
from torch.utils.data import IterableDataset


class Images(IterableDataset):
    def __iter__(self):
        for x in self.x:
            yield x.to(self.device)
#### findings
8 manual
#### types and the CPU are no devices
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, i):
        return self.x[i].to(torch.float32), self.y[i].to('cpu'), self.z[i].to(dtype=torch.long)
#### in the training loop
import torch
from torch.utils.data import DataLoader

for x, y in DataLoader(data, num_workers=4):
    x, y = x.cuda(), y.to(device)
#### a class that is no dataset
import torch


class Buffer:
    def __getitem__(self, i):
        return self.x[i].cuda()
#### in the constructor
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.x = torch.zeros(3).cuda()
#### a function that no loader uses
import torch


def collate(batch):
    return batch.cuda()
