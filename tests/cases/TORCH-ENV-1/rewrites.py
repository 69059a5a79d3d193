#### a list, set before anything else
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'
import torch
#### after
import os
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,1'
import torch
#### findings
2 auto
#### every way to touch it
import os
import torch
os.environ["CUDA_VISIBLE_DEVICES"] = "3"  # the last card
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '0')
os.putenv('CUDA_VISIBLE_DEVICES', '0')
count = len(os.environ['CUDA_VISIBLE_DEVICES'].split(','))
seen = os.environ.get('CUDA_VISIBLE_DEVICES')
if 'CUDA_VISIBLE_DEVICES' in os.environ:
    del os.environ['CUDA_VISIBLE_DEVICES']
#### after
import os
import torch
os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "3"  # the last card
os.environ.setdefault('ASCEND_RT_VISIBLE_DEVICES', '0')
os.putenv('ASCEND_RT_VISIBLE_DEVICES', '0')
count = len(os.environ['ASCEND_RT_VISIBLE_DEVICES'].split(','))
seen = os.environ.get('ASCEND_RT_VISIBLE_DEVICES')
if 'ASCEND_RT_VISIBLE_DEVICES' in os.environ:
    del os.environ['ASCEND_RT_VISIBLE_DEVICES']
#### findings
3 auto
4 auto
5 auto
6 auto
7 auto
8 auto
9 auto
#### a value made while the program runs must ascend
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = args.gpu
#### after
import os
import torch
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = args.gpu
#### findings
3 auto-check
#### a list in another order is put into order
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = '2,0'
#### after
import os
import torch
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,2'
#### findings
3 auto-check
#### no device stays no device
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = '-1'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
#### after
import os
import torch
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '-1'
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = ''
#### the environment of another process
import subprocess
import torch
env = {'CUDA_VISIBLE_DEVICES': '1', 'PATH': path}
subprocess.run('CUDA_VISIBLE_DEVICES=1 python train.py', shell=True)
subprocess.run(f'CUDA_VISIBLE_DEVICES={gpu} python train.py', shell=True)
#### after
import subprocess
import torch
env = {'ASCEND_RT_VISIBLE_DEVICES': '1', 'PATH': path}
subprocess.run('ASCEND_RT_VISIBLE_DEVICES=1 python train.py', shell=True)
subprocess.run(f'ASCEND_RT_VISIBLE_DEVICES={gpu} python train.py', shell=True)
#### findings
3 auto-check
4 auto-check
5 auto-check
#### the switch of torch_npu does not do it
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = '1'
#### with style=transfer
#### after
import os
import torch
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '1'
