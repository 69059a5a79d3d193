#### every way to wait in a training loop
import torch

for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    total += loss.item()
    seen.append(float(loss))
    outputs = out.detach().cpu().numpy()
    print(f"loss {loss:.4f}", loss)
    if loss > 100:
        break
    if torch.isnan(loss):
        continue
    assert not torch.isfinite(loss)
    torch.cuda.synchronize()
    print("loss {}".format(loss), "%s" % loss)
#### findings
7 info
8 info
9 info
10 info
11 info
13 info
15 info
16 info
17 info
#### the loss may be scaled or divided
import torch
while True:
    scaler.scale(total / 4).backward()
    print(total)
    accelerator.backward(other)
    print(other)
#### findings
4 info
6 info
#### what is not done in every step
for step, x in enumerate(loader):
    loss = model(x)
    loss.backward()
    if step % 100 == 0:
        print(loss.item())
    if step == last:
        loss.cpu()
    def later():
        return loss.item()
total = loss.item()
#### only some rank
for x in loader:
    loss.backward()
    if rank == 0:
        loss.item()
#### findings
4 info
#### no training, or nothing of the device
import numpy as np
for x in loader:
    total += model(x).item()
for x in loader:
    loss.backward()
    print(step, rate)
    count += int(x_size)
    if step > 3:
        break
    dictionary.items()
    names.tolist(4)
    values = np.zeros(3).tolist()
    values = np.array(names)
    values.item()
