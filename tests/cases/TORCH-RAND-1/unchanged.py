#### the type is given
import torch
with torch.random.fork_rng(devices=[0], device_type=kind):
    pass
#### by position
import torch
with torch.random.fork_rng([0], True, "fork_rng", "devices", "npu"):
    pass
#### only the CPU
import torch
with torch.random.fork_rng(devices=[]):
    pass
with torch.random.fork_rng([]):
    pass
#### arguments that cannot be seen
import torch
with torch.random.fork_rng(**options):
    pass
#### findings
2 manual
#### of something else
import numpy
numpy.random.fork_rng()
#### a function of the project
def fork_rng():
    pass
fork_rng()
#### seeds
import torch
torch.random.manual_seed(0)
#### texts
import torch
print("torch.random.fork_rng()")
