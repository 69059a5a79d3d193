#### documentation, help and messages
"""Set CUDA_VISIBLE_DEVICES=0 first."""
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument('--gpu', help='like CUDA_VISIBLE_DEVICES=0')
print('run with CUDA_VISIBLE_DEVICES=0')
# CUDA_VISIBLE_DEVICES=1
#### migrated already
import os
import torch
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,1'
#### another variable
import os
import torch
os.environ['MY_CUDA_VISIBLE_DEVICES_LIST'] = '0'
#### a variable of the program
import torch
CUDA_VISIBLE_DEVICES = [0, 1]
use(CUDA_VISIBLE_DEVICES)
#### a program of TensorFlow
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### with frameworks=tensorflow,torch
#### cards named by something else
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = 'GPU-8932f937'
#### findings
3 manual
