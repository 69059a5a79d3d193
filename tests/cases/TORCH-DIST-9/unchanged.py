#### fork
import torch
import torch.multiprocessing as mp
mp.set_start_method('fork')
ctx = mp.get_context("fork")
mp.start_processes(fn, start_method='fork')
#### findings
3 manual
4 manual
5 manual
#### the standard library's
import multiprocessing
import torch
multiprocessing.set_start_method('fork', force=True)
#### findings
3 manual
#### other ways
import torch.multiprocessing as mp
mp.set_start_method('spawn', force=True)
mp.get_context('forkserver')
mp.spawn(fn, nprocs=2)
#### a way that cannot be seen
import torch.multiprocessing as mp
mp.set_start_method(args.method)
#### somebody else's
import torch
from mylib import set_start_method
set_start_method('fork')
