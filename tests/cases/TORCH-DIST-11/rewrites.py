#### a script without functions
"""Train a line."""
import torch
from torch.utils.data import DataLoader
loader = DataLoader(data, batch_size=4)
model = torch.nn.Linear(1, 1).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
torch.save(model.state_dict(), 'line.pt')
#### with add_distribution=yes
#### after
"""Train a line."""
import npu_ddp
import torch
from torch.utils.data import DataLoader

npu_ddp.init()
loader = DataLoader(data, batch_size=4)
model = torch.nn.Linear(1, 1).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = npu_ddp.wrap(model)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
torch.save(npu_ddp.unwrap(model).state_dict(), 'line.pt')
#### findings
3 auto-check
7 auto
12 auto
#### a function for an epoch, which is given the model
import torch
from torch.utils.data import DataLoader
def train(net, loader, optimizer):
    net.train()
    net.zero_grad()
    for x, y in loader:
        loss = criterion(net(x), y) + net.decay * 0.1
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return loss
def main():
    device = torch.device('npu:0' if torch.npu.is_available() else 'cpu')
    loader = DataLoader(data, batch_size=4)
    model = Net().to(device)
    model.load_state_dict(torch.load('start.pt'))
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(params, lr=0.1)
    for epoch in range(2):
        if epoch:
            model.grow()
        train(model, loader, optimizer)
if __name__ == '__main__':
    main()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
def train(net, loader, optimizer):
    net.train()
    net.zero_grad()
    for x, y in loader:
        loss = criterion(net(x), y) + npu_ddp.unwrap(net).decay * 0.1
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return loss
def main():
    device = torch.device(f'npu:{npu_ddp.index()}' if torch.npu.is_available() else 'cpu')
    loader = DataLoader(data, batch_size=4)
    model = Net().to(device)
    model.load_state_dict(torch.load('start.pt'))
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(params, lr=0.1)
    model = npu_ddp.wrap(model)
    for epoch in range(2):
        if epoch:
            npu_ddp.unwrap(model).grow()
        train(model, loader, optimizer)
if __name__ == '__main__':
    npu_ddp.init()
    main()
#### an object that trains, and keeps the model
import torch
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, args):
        self.model = Net(args.size)
        self.model.npu(args.gpu)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(args.data, batch_size=4)
    def fit(self):
        for epoch in range(3):
            for x in self.loader:
                loss = self.model(x).mean()
                loss.backward()
                self.optimizer.step()
            torch.save(self.model, 'net.pt')
if __name__ == '__main__':
    trainer = Trainer(args)
    trainer.fit()
    print(trainer.model.size)
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, args):
        self.model = Net(args.size)
        self.model.npu(npu_ddp.index(args.gpu))
        self.model = npu_ddp.wrap(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(args.data, batch_size=4)
    def fit(self):
        for epoch in range(3):
            for x in self.loader:
                loss = self.model(x).mean()
                loss.backward()
                self.optimizer.step()
            torch.save(npu_ddp.unwrap(self.model), 'net.pt')
if __name__ == '__main__':
    npu_ddp.init()
    trainer = Trainer(args)
    trainer.fit()
    print(npu_ddp.unwrap(trainer.model).size)
#### two models that train against each other
import torch
from torch.utils.data import DataLoader
loader = DataLoader(data, batch_size=4)
netG, netD = Generator(), Discriminator()
optimizerD = torch.optim.Adam(netD.parameters())
optimizerG = torch.optim.Adam(netG.parameters())
for epoch in range(5):
    for x in loader:
        errD = netD(x).mean() - netD(netG(noise).detach()).mean()
        errD.backward()
        optimizerD.step()
        errG = netD(netG(noise)).mean()
        errG.backward()
        optimizerG.step()
    sample = netG.sample(16)
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader

npu_ddp.init()
loader = DataLoader(data, batch_size=4)
netG, netD = Generator(), Discriminator()
optimizerD = torch.optim.Adam(netD.parameters())
optimizerG = torch.optim.Adam(netG.parameters())
netD = npu_ddp.wrap(netD)
netG = npu_ddp.wrap(netG)
for epoch in range(5):
    for x in loader:
        errD = netD(x).mean() - netD(netG(noise).detach()).mean()
        errD.backward()
        optimizerD.step()
        errG = netD(netG(noise)).mean()
        errG.backward()
        optimizerG.step()
    sample = npu_ddp.unwrap(netG).sample(16)
#### a model for each fold, an optimizer made elsewhere, a model of another file
import torch
from torch.utils.data import DataLoader
from net import build
def make_optimizer(model):
    groups = [{'params': model.head.parameters(), 'lr': 1.0}]
    groups.append({'params': model.body.parameters()})
    return torch.optim.SGD(groups, lr=0.1)
for fold in range(5):
    model = build().npu()
    optimizer = make_optimizer(model)
    for epoch in range(3):
        for x in DataLoader(data[fold], batch_size=2):
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
#### file net.py
import torch
def build():
    return torch.nn.Linear(1, 1)
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
from net import build

npu_ddp.init()
def make_optimizer(model):
    groups = [{'params': model.head.parameters(), 'lr': 1.0}]
    groups.append({'params': model.body.parameters()})
    return torch.optim.SGD(groups, lr=0.1)
for fold in range(5):
    model = build().npu()
    optimizer = make_optimizer(model)
    model = npu_ddp.wrap(model)
    for epoch in range(3):
        for x in DataLoader(data[fold], batch_size=2):
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
#### the number of the NPU, however it is given
import torch
torch.npu.set_device(2)
device = torch.device(f'npu:{args.gpu}')
loader = torch.utils.data.DataLoader(data)
model = Net().to('npu:1')
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in loader:
    model(x.npu(0)).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### after
import npu_ddp
import torch

npu_ddp.init()
torch.npu.set_device(npu_ddp.index(2))
device = torch.device(f'npu:{npu_ddp.index(args.gpu)}')
loader = torch.utils.data.DataLoader(data)
model = Net().to(f'npu:{npu_ddp.index(1)}')
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = npu_ddp.wrap(model)
for x in loader:
    model(x.npu(npu_ddp.index(0))).mean().backward()
    optimizer.step()
#### a model that is made anew before it is trained, by functions that see it as a global variable
import torch
from torch.utils.data import DataLoader
class Run:
    def __init__(self, loader):
        self.loader = loader
    def epoch(self):
        for x in self.loader:
            self.batch(x)
    def batch(self, x):
        model(x).mean().backward()
        optimizer.step()
model = Net()
model = model.npu()
if args.resume:
    model.load_state_dict(torch.load('net.pt'))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
run = Run(DataLoader(data))
for epoch in range(3):
    run.epoch()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader

npu_ddp.init()
class Run:
    def __init__(self, loader):
        self.loader = loader
    def epoch(self):
        for x in self.loader:
            self.batch(x)
    def batch(self, x):
        model(x).mean().backward()
        optimizer.step()
model = Net()
model = model.npu()
if args.resume:
    model.load_state_dict(torch.load('net.pt'))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
run = Run(DataLoader(data))
model = npu_ddp.wrap(model)
for epoch in range(3):
    run.epoch()
#### a model that is made in one function, and moved to the device by the object that trains it
import torch
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, model, optimizer, loader):
        self.model = model.to('npu')
        self.optimizer = optimizer
        self.loader = loader
    def train(self):
        for x in self.loader:
            self.model(x).mean().backward()
            self.optimizer.step()
        torch.save(self.model.state_dict(), 'net.pt')
def make():
    model = torch.nn.Linear(1, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)
if __name__ == '__main__':
    model, optimizer = make()
    Trainer(model, optimizer, DataLoader(data)).train()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, model, optimizer, loader):
        self.model = model.to('npu')
        self.model = npu_ddp.wrap(self.model)
        self.optimizer = optimizer
        self.loader = loader
    def train(self):
        for x in self.loader:
            self.model(x).mean().backward()
            self.optimizer.step()
        torch.save(npu_ddp.unwrap(self.model).state_dict(), 'net.pt')
def make():
    model = torch.nn.Linear(1, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)
if __name__ == '__main__':
    npu_ddp.init()
    model, optimizer = make()
    Trainer(model, optimizer, DataLoader(data)).train()
#### a function that moves the model it is given, and trains it
import torch
from torch.utils.data import DataLoader
def fit(net, optimizer):
    net.npu()
    for x in DataLoader(data):
        net(x).mean().backward()
        optimizer.step()
model = torch.nn.Linear(1, 1)
fit(model, torch.optim.SGD(model.parameters(), lr=0.1))
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from torch.utils.data import DataLoader

npu_ddp.init()
def fit(net, optimizer):
    net.npu()
    net = npu_ddp.wrap(net)
    for x in DataLoader(data):
        net(x).mean().backward()
        optimizer.step()
model = torch.nn.Linear(1, 1)
fit(model, torch.optim.SGD(model.parameters(), lr=0.1))
