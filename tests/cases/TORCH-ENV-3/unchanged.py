#### what is read is reported
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
#### a value that does something is left and reported
import os
import torch
os.environ['NCCL_DEBUG'] = ask_the_user()
#### findings
3 info
#### a variable the program reads is left and reported
import os
import torch
os.environ['NCCL_P2P_DISABLE'] = '1'
print(os.environ['NCCL_P2P_DISABLE'])
#### findings
3 info
4 info
#### variables of TensorFlow
import os
import torch
os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=2'
#### a name that CUDA does not know
import os
import torch
os.environ['CUDA_DEVICES_OF_MINE'] = '1'
