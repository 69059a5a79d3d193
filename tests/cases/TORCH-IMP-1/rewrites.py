#### right after torch
import os
import torch
import torch.nn as nn

torch.npu.set_device(0)
#### after
import os
import torch
import torch_npu  # noqa: F401
import torch.nn as nn

torch.npu.set_device(0)
#### findings
2 auto
#### an entry point without any device
import torch

if __name__ == "__main__":
    print(torch.__version__)
#### after
import torch
import torch_npu  # noqa: F401

if __name__ == "__main__":
    print(torch.__version__)
#### an entry point that gets torch through a library
from transformers import Trainer

Trainer(model).train()
#### after
from transformers import Trainer
import torch_npu  # noqa: F401

Trainer(model).train()
#### the alias stays
import torch as th

x = th.zeros(2, device="npu")
#### after
import torch as th
import torch_npu  # noqa: F401

x = th.zeros(2, device="npu")
#### only names from torch
"""Doc."""
from __future__ import annotations

from torch import nn
from torch.utils.data import DataLoader

model = nn.Linear(1, 1).npu()
#### after
"""Doc."""
from __future__ import annotations

from torch import nn
import torch_npu  # noqa: F401
from torch.utils.data import DataLoader

model = nn.Linear(1, 1).npu()
#### plain torch is preferred to its submodules
import torch.nn as nn
import torch
x = torch.ones(1).npu()
#### after
import torch.nn as nn
import torch
import torch_npu  # noqa: F401
x = torch.ones(1).npu()
#### the same try block
try:
    import torch
except ImportError:
    torch = None

def has_device():
    return torch is not None and torch.npu.is_available()
#### after
try:
    import torch
    import torch_npu  # noqa: F401
except ImportError:
    torch = None

def has_device():
    return torch is not None and torch.npu.is_available()
#### never for type checkers only
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

def main():
    import torch
    return torch.npu.device_count()
#### after
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

def main():
    import torch
    import torch_npu  # noqa: F401
    return torch.npu.device_count()
#### lazily, in each function that uses the NPU
def first():
    import torch
    return torch.npu.device_count()

def second():
    import torch
    return torch.zeros(1)

def third():
    import torch
    return torch.zeros(1, device="npu")
#### with entry=
#### after
def first():
    import torch
    import torch_npu  # noqa: F401
    return torch.npu.device_count()

def second():
    import torch
    return torch.zeros(1)

def third():
    import torch
    import torch_npu  # noqa: F401
    return torch.zeros(1, device="npu")
#### several statements on a line, and a remark
import os; import torch  # the framework
torch.npu.synchronize()
#### after
import os; import torch  # the framework
import torch_npu  # noqa: F401
torch.npu.synchronize()
#### torch in the middle of a line
import torch; import os
torch.npu.synchronize()
#### after
import torch
import torch_npu  # noqa: F401
import os
torch.npu.synchronize()
#### a backend is a use of the NPU
import torch.distributed as dist

dist.init_process_group("hccl")
#### with entry=
#### after
import torch.distributed as dist
import torch_npu  # noqa: F401

dist.init_process_group("hccl")
#### a name that is used needs no remark
import torch
prof = torch_npu.profiler.profile()
#### after
import torch
import torch_npu
prof = torch_npu.profiler.profile()
#### a module that is not run but uses a device
import torch
device = torch.device(f"npu:{rank}")
#### with entry=
#### after
import torch
import torch_npu  # noqa: F401
device = torch.device(f"npu:{rank}")
