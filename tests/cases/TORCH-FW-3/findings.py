#### optimizers and layers
import torch
import deepspeed
from deepspeed.ops.adam import FusedAdam
a = FusedAdam(params)
b = deepspeed.ops.lamb.FusedLamb(params)
#### findings
4 manual
5 manual
