#### an import nobody uses
from apex.optimizers import FusedAdam
import torch
#### after
import torch
#### findings
1 auto
#### one name of several
import torch
from apex.optimizers import FusedAdam, FusedLAMB
optimizer = FusedLAMB(p)
#### after
import torch
from apex.optimizers import FusedLAMB
optimizer = FusedLAMB(p)
#### a guard that stops the program
import torch
try:
    from apex.parallel import DistributedDataParallel as DDP
except ImportError:
    raise ImportError("Please install APEX")
x = 1
#### after
import torch
x = 1
