#### files from both
import torch

a = torch.load(path, map_location={'cuda:0': 'cuda:1'})
b = torch.load(path, map_location={"cuda:%d" % 0: "cuda:%d" % rank})
c = torch.load(path, map_location={'cuda:0': where})
#### after
import torch

a = torch.load(path, map_location={'cuda:0': 'cuda:1', 'npu:0': 'npu:1'})
b = torch.load(path, map_location={"cuda:%d" % 0: "cuda:%d" % rank, "npu:%d" % 0: "npu:%d" % rank})
c = torch.load(path, map_location={'cuda:0': where, 'npu:0': where})
#### findings
3 auto
4 auto
5 auto
#### through a variable
import torch

where = {'cuda:0': f'cuda:{rank}'}
state = torch.load(path, map_location=where)
#### after
import torch

where = {'cuda:0': f'cuda:{rank}', 'npu:0': f'npu:{rank}'}
state = torch.load(path, map_location=where)
#### to the CPU
import torch

state = torch.load(path, map_location={'cuda:0': 'cpu', 'cuda:1': 'cpu'})
#### after
import torch

state = torch.load(path, map_location={'cuda:0': 'cpu', 'npu:0': 'cpu', 'cuda:1': 'cpu', 'npu:1': 'cpu'})
