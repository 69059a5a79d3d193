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
#### a block that only sets such variables goes
import os
import torch
if debug:
    os.environ['NCCL_DEBUG'] = 'INFO'
#### after
import os
import torch
#### findings
4 auto
#### a block keeps a statement
import os
import torch
def set_up():
    os.environ['NCCL_DEBUG'] = 'INFO'
#### after
import os
import torch
def set_up():
    pass
#### findings
4 auto
#### variables of containers, of Horovod and of waiting times
import os
import torch
os.environ['NVIDIA_VISIBLE_DEVICES'] = 'all'
os.environ['HOROVOD_FUSION_THRESHOLD'] = '0'
os.environ['NCCL_BLOCKING_WAIT'] = '1'
os.environ['NCCL_ASYNC_ERROR_HANDLING'] = '0'
#### after
import os
import torch
#### findings
3 auto
4 auto
5 auto-check
6 auto
