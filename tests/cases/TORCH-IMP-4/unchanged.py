#### a script that trains
import os
import torch
loss.backward()
#### findings
3 info
#### it has decided
import torch
torch.npu.set_compile_mode(jit_compile=False)
loss.backward()
#### a module
import torch
def step(loss):
    loss.backward()
#### with entry=
#### a script that does not train
import torch
print(model(x))
#### a function of the project
import torch
def backward(): pass
backward()
