#### other types
from accelerate import DistributedType
a = DistributedType.NO
b = DistributedType.MULTI_NPU
c = DistributedType.DEEPSPEED
#### a class of the user's
import torch
class DistributedType:
    MULTI_GPU = 1
a = DistributedType.MULTI_GPU
