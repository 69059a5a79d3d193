#### nvidia-smi
import os
import subprocess
os.system('nvidia-smi')
subprocess.check_output(['nvidia-smi', '--query-gpu=memory.used', '--format=csv'])
command = "nvidia-smi -L | wc -l"
program = '/usr/bin/nvidia-smi'
#### findings
3 manual
4 manual
5 manual
6 manual
#### devices of another program
import os
env = dict(os.environ)
env['CUDA_VISIBLE_DEVICES'] = '0'
os.system('CUDA_VISIBLE_DEVICES=1 python train.py')
#### findings
3 manual
4 manual
#### processes started with MPI
import subprocess
subprocess.call('mpirun -np 8 python train.py', shell=True)
#### findings
2 manual
#### messages and documentation
"""Set CUDA_VISIBLE_DEVICES=0 first, then look at nvidia-smi."""
import argparse
import logging

def main():
    """Run nvidia-smi to see more."""
    print('run nvidia-smi')
    logging.info('CUDA_VISIBLE_DEVICES=%s', 0)
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpu', help='as in CUDA_VISIBLE_DEVICES=0')
    raise ValueError('nvidia-smi shows no GPU')
#### the program's own environment is another rule's business
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
os.environ.get('CUDA_VISIBLE_DEVICES')
#### names that only contain the word
path = '/opt/nvidia-smi-exporter/bin'
script = './nvidia-smi.txt'
#### asking for the variable, and other words about it
import os
if 'CUDA_VISIBLE_DEVICES' in os.environ:
    pass
KNOWN = ['CUDA_VISIBLE_DEVICES']
text = 'could not find mpirun here'
#### a mapping for another program
import subprocess
subprocess.Popen(command, env={'CUDA_VISIBLE_DEVICES': '0'})
#### findings
2 manual
