#### behind torch, before names out of it
import os
import torch
from torch import zeros
x = zeros(1).cuda()
#### with style=transfer
#### after
import os
import torch
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
from torch import zeros
x = zeros(1).cuda()
#### findings
2 auto
#### before a module of the project that takes names out of torch
"""Doc."""
from __future__ import annotations
import argparse
import numpy as np
from model import Net
import torch
#### file model.py
from torch import zeros
class Net: pass
#### with style=transfer
#### after
"""Doc."""
from __future__ import annotations
import argparse
import numpy as np
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
from model import Net
import torch
#### before names out of torch
from torch import nn
import torch
#### with style=transfer
#### after
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
from torch import nn
import torch
#### before a block that imports
import os
try:
    import torch
except ImportError:
    torch = None
#### with style=transfer
#### after
import os
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
try:
    import torch
except ImportError:
    torch = None
#### the alias stays
import torch as th
th.cuda.synchronize()
#### with style=transfer
#### after
import torch as th
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
th.cuda.synchronize()
#### behind torch_npu
import torch
import torch_npu
x = torch.zeros(1).cuda()
#### with style=transfer
#### after
import torch
import torch_npu
from torch_npu.contrib import transfer_to_npu  # noqa: F401
x = torch.zeros(1).cuda()
#### the path of a checkpoint is not a device
import torch
state = torch.load("/data/cuda/best.pt", map_location="cuda:0")
other = torch.load(f"{root}/cuda.pt")
#### with style=transfer entry=train.py
#### after
import torch
state = torch.load(f="/data/cuda/best.pt", map_location="cuda:0")
other = torch.load(f=f"{root}/cuda.pt")
#### findings
2 auto
3 auto
#### one script of a project whose calls are rewritten
import os
import torch
import fairscale
from model import Net
Net().npu()
#### after
import os
import torch
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401
import fairscale
from model import Net
Net().npu()
#### with transfer=main.py
#### findings
2 auto
#### a path in a project with such a script
import torch
torch.load("/data/cuda/best.pt")
#### after
import torch
torch.load(f="/data/cuda/best.pt")
#### with transfer=train.py
