#### copies of a model
import torch
replicas = torch.nn.parallel.replicate(model, devices)
#### findings
2 manual
#### from the modules that define them
from torch.nn.parallel.parallel_apply import parallel_apply
from torch.nn.parallel.scatter_gather import scatter_kwargs, gather
outputs = parallel_apply(replicas, inputs, kwargs, devices)
gather(outputs, 0)
scatter_kwargs(inputs, kwargs, devices)
#### findings
3 manual
4 manual
5 manual
#### of torch.distributed, which is another thing
import torch.distributed as dist
dist.gather(tensor, tensors)
dist.scatter(tensor, tensors)
#### methods of a tensor
import torch
x = torch.zeros(3)
x.gather(0, index)
torch.gather(x, 0, index)
x.scatter(0, index, y)
#### a function of the project
def replicate(model):
    return model
replicate(model)
#### one model for each process
import torch
torch.nn.parallel.DistributedDataParallel(model)
