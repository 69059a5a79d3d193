#### both names
import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument('--local_rank', '--local-rank', type=int, default=int(os.environ['LOCAL_RANK']))
#### the new name
import argparse, torch
p = argparse.ArgumentParser()
p.add_argument('--local-rank', type=int, default=0)
#### other options
import argparse, torch
p = argparse.ArgumentParser()
p.add_argument('--rank', type=int, default=0)
p.add_argument('local_rank', type=int)
#### names that cannot be seen
import argparse, torch
p = argparse.ArgumentParser()
p.add_argument(*names, default=0)
#### read from the arguments
import torch
print(args.local_rank, '--local_rank')
#### a command of the program's own
import subprocess, sys, torch
subprocess.run([sys.executable, '-m', 'torch.distributed.launch', '--nproc_per_node=2', 'train.py'])
os.system('python -m torch.distributed.launch train.py')
#### findings
2 info
3 info
#### a word in a message
import torch
print('see torch.distributed.launch for help')
