#### lines go
import os
import torch
os.environ['NCCL_IB_DISABLE'] = '1'
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # reproducible
os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'
x = 1
#### after
import os
import torch
# reproducible
x = 1
#### findings
3 auto
4 auto-check
5 auto
#### a block keeps a statement
import os
import torch
if debug:
    os.environ['NCCL_DEBUG'] = 'INFO'
#### after
import os
import torch
if debug:
    pass
#### findings
4 auto-check
