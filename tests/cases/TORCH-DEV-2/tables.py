#### a table that is looked up with the name of a device
import torch
name = "cuda" if use_gpu else "cpu"
workers = {"cuda": 4, "cpu": 0}[name]
backend = {"cuda": "a", "cpu": "b"}.get(name, "c")
torch.zeros(1, device=name)
#### after
import torch
name = "cuda" if use_gpu else "cpu"
workers = {"npu": 4, "cpu": 0}[name]
backend = {"npu": "a", "cpu": "b"}.get(name, "c")
torch.zeros(1, device=name)
#### findings
3 auto
4 auto
#### a table with a name
import torch
WORKERS = {"cuda": 4, "cpu": 0}
def load(device):
    x = torch.device(device)
    if x.type in WORKERS:
        return WORKERS[x.type] + WORKERS.get(device.split(":")[0], 1)
#### after
import torch
WORKERS = {"npu": 4, "cpu": 0}
def load(device):
    x = torch.device(device)
    if x.type in WORKERS:
        return WORKERS[x.type] + WORKERS.get(device.split(":")[0], 1)
#### findings
2 auto
#### only the name of a variable says that it is a device
import torch
def load(device):
    return {"cuda": 4, "cpu": 0}[device]
#### after
import torch
def load(device):
    return {"npu": 4, "cpu": 0}[device]
#### findings
3 auto-check
#### other uses of the table may need the old key
import torch
WORKERS = {"cuda": 4, "cpu": 0}
def load(x):
    return WORKERS[x.device.type]
for name in WORKERS:
    print(name)
#### findings
2 manual
#### another key that nobody knows
import torch
WORKERS = {"cuda": 4, "cpu": 0}
def load(x, word):
    return WORKERS[x.device.type] + WORKERS[word]
#### findings
2 manual
#### a table that has the NPU
import torch
def load(x):
    return {"cuda": 4, "npu": 2, "cpu": 0}[x.device.type]
#### no device is looked up
import torch
BUILDS = {"cuda": 4, "cpu": 0}
def build(word):
    return BUILDS[word], BUILDS["cuda"]
#### under the switch strings of the program keep their value, types of devices do not
import torch
def load(x, device):
    torch.zeros(1, device=device)
    return {"cuda": 4}[x.device.type] + {"cuda": 4}[device]
#### with style=transfer
#### after
import torch
def load(x, device):
    torch.zeros(1, device=device)
    return {"npu": 4}[x.device.type] + {"cuda": 4}[device]
#### findings
4 auto
