#### what is read is told
import os
import torch
level = os.environ.get('NCCL_DEBUG')
#### findings
3 info
#### variables with a counterpart belong to another rule
import os
import torch
os.environ['CUDA_LAUNCH_BLOCKING'] = '1'
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### where CUDA is installed is for builds
import os
import torch
home = os.environ['CUDA_HOME']
#### other variables
import os
import torch
os.environ['OMP_NUM_THREADS'] = '1'
os.environ['HCCL_CONNECT_TIMEOUT'] = '600'
