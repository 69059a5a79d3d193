#### capture and replay
import torch
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, pool=torch.cuda.graph_pool_handle()):
    y = model(x)
g.replay()
f = torch.cuda.make_graphed_callables(model, (x,))
#### after
import torch
g = torch.npu.NPUGraph()
with torch.npu.graph(g, pool=torch.npu.graph_pool_handle()):
    y = model(x)
g.replay()
f = torch.npu.make_graphed_callables(model, (x,))
#### findings
2 auto-check
3 auto-check
3 auto-check
6 auto-check
#### the module of graphs
import torch
g = torch.cuda.graphs.CUDAGraph()
#### after
import torch
g = torch.npu.graphs.NPUGraph()
#### below an imported module
from torch import cuda
g = cuda.CUDAGraph()
#### after
from torch import cuda
g = cuda.NPUGraph()
