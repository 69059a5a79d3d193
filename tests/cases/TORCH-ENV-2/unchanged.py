#### messages and remarks
import torch
print('try CUDA_LAUNCH_BLOCKING=1')  # CUDA_LAUNCH_BLOCKING
#### migrated already
import os
import torch
os.environ['ASCEND_LAUNCH_BLOCKING'] = '1'
#### a longer name
import os
import torch
os.environ['MY_CUDA_LAUNCH_BLOCKING'] = '1'
