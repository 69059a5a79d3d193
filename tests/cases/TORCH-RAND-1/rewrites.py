#### devices given
import torch
with torch.random.fork_rng(devices=[0]):
    sample()
#### after
import torch
with torch.random.fork_rng(devices=[0], device_type="npu"):
    sample()
#### findings
2 auto
#### nothing given
from torch.random import fork_rng
with fork_rng():
    sample()
#### after
from torch.random import fork_rng
with fork_rng(device_type="npu"):
    sample()
#### by position, over lines
import torch as th
with th.random.fork_rng(
    devices,
    enabled,  # not in tests
):
    sample()
#### after
import torch as th
with th.random.fork_rng(
    devices,
    enabled, device_type="npu",  # not in tests
):
    sample()
#### the switch does not know it
import torch
with torch.random.fork_rng(devices=ids):
    sample()
#### with style=transfer
#### after
import torch
with torch.random.fork_rng(devices=ids, device_type="npu"):
    sample()
