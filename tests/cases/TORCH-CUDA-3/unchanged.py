#### a graph of something else
import torch
import networkx
networkx.graph(1)
torch.fx.Graph()
#### imported by itself
from torch.cuda import graph
with graph(g):
    pass
#### findings
2 manual
#### the switch renames the class
import torch
g = torch.cuda.CUDAGraph()
#### with style=transfer
#### findings
2 manual
#### already migrated
import torch
g = torch.npu.NPUGraph()
