#### the loss of an evaluation, and bars that are switched off
import torch
from tqdm import tqdm
from torch.utils.data import DataLoader
def evaluate(model, loader):
    with torch.no_grad():
        for x in tqdm(loader, disable=True):
            loss = model(x).mean()
            print(loss.item())
if __name__ == '__main__':
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in DataLoader(data):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        del loss
    evaluate(model, test_loader)
#### with add_distribution=yes
#### nobody asked for it
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
