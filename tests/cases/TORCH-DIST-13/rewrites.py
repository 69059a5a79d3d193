#### what shows a loss, and a progress bar
import torch
from tqdm import tqdm
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in tqdm(DataLoader(data), desc='train'):
    loss = model(x).mean()
    scaler.scale(loss).backward()
    optimizer.step()
    total = loss + 1
    losses.append(loss.detach().cpu())
    running += float(loss)
    print(f'loss {loss:.3f}', '{}'.format(loss))
with torch.no_grad():
    loss = model(y).mean()
#### with add_distribution=yes
#### after
import npu_ddp
import torch
from tqdm import tqdm
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in tqdm(DataLoader(data), desc='train', disable=not npu_ddp.is_main()):
    loss = model(x).mean()
    scaler.scale(loss).backward()
    optimizer.step()
    total = loss + 1
    losses.append(npu_ddp.mean(loss).detach().cpu())
    running += float(npu_ddp.mean(loss))
    print(f'loss {npu_ddp.mean(loss):.3f}', '{}'.format(npu_ddp.mean(loss)))
with torch.no_grad():
    loss = model(y).mean()
#### findings
6 auto
11 auto
12 auto
13 auto
13 auto
