#### arguments in a dictionary, loaders from a function, a mean over the samples
import torch
from torch.utils.data import DataLoader
def load(args):
    options = {'batch_size': args.batch_size, 'shuffle': True}
    train_loader = DataLoader(args.data, **options)
    test_loader = DataLoader(args.test_data, batch_size=100)
    return train_loader, test_loader
def train(model, loader, optimizer):
    total = 0
    for i, (x, y) in enumerate(loader):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader.dataset)
def test(model, loader):
    return sum(model(x).sum() for x in loader) / len(loader.dataset)
if __name__ == '__main__':
    train_loader, test_loader = load(args)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, train_loader, optimizer)
    test(model, test_loader)
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
def load(args):
    options = {'batch_size': args.batch_size, 'shuffle': True}
    train_loader = npu_ddp.share(DataLoader(args.data, **options))
    test_loader = DataLoader(args.test_data, batch_size=100)
    return train_loader, test_loader
def train(model, loader, optimizer):
    total = 0
    for i, (x, y) in enumerate(loader):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / npu_ddp.samples(loader)
def test(model, loader):
    return sum(model(x).sum() for x in loader) / len(loader.dataset)
if __name__ == '__main__':
    train_loader, test_loader = load(args)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, train_loader, optimizer)
    test(model, test_loader)
#### findings
5 auto
15 auto
#### taken with next(), a sampler of the script's own, data that is downloaded
import torch
from torch.utils.data import DataLoader
data = MNIST('data', download=True)
loader = DataLoader(data, batch_size=4, sampler=WeightedSampler(data))
batches = iter(loader)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1000):
    try:
        x = next(batches)
    except StopIteration:
        batches = iter(loader)
        x = next(batches)
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
data = MNIST('data', download=True)
loader = npu_ddp.share(DataLoader(data, batch_size=4, sampler=WeightedSampler(data)))
batches = iter(loader)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1000):
    try:
        x = next(batches)
    except StopIteration:
        batches = iter(loader)
        x = next(batches)
    model(x).mean().backward()
    optimizer.step()
#### findings
4 auto-check
#### a stream that is the same in every process
import torch
from torch.utils.data import DataLoader, IterableDataset

class Rows(IterableDataset):
    def __iter__(self):
        with open('rows.txt') as file:
            yield from file

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(Rows(), batch_size=4):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader, IterableDataset

class Rows(IterableDataset):
    def __iter__(self):
        with open('rows.txt') as file:
            yield from file

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in npu_ddp.share(DataLoader(Rows(), batch_size=4), stream=True):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
#### a generator of the program that reads a loader again and again
import torch
from torch.utils.data import DataLoader

def endless(loader):
    while True:
        for x in loader:
            yield x

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(data, batch_size=4)
batches = endless(loader)
for step in range(9):
    optimizer.zero_grad()
    model(next(batches)).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader

def endless(loader):
    while True:
        for x in loader:
            yield x

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = npu_ddp.share(DataLoader(data, batch_size=4))
batches = endless(loader)
for step in range(9):
    optimizer.zero_grad()
    model(next(batches)).mean().backward()
    optimizer.step()
