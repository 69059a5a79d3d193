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
#### what was guarded with it would be lost
import torch
def build():
    try:
        import apex as amp
        layer = torch.nn.LayerNorm
    except:
        layer = None
        print("please install apex")
#### after
import torch
def build():
    try:
        layer = torch.nn.LayerNorm
    except:
        layer = None
        print("please install apex")
