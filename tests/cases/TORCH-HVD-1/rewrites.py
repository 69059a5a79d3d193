#### questions
import torch
import horovod.torch as hvd
hvd.init()
print(hvd.rank(), hvd.size(), hvd.local_rank())
sampler = Sampler(dataset, num_replicas=hvd.size(), rank=hvd.rank())
#### after
import os
import torch
torch.distributed.init_process_group('hccl')
print(torch.distributed.get_rank(), torch.distributed.get_world_size(), int(os.environ['LOCAL_RANK']))
sampler = Sampler(dataset, num_replicas=torch.distributed.get_world_size(), rank=torch.distributed.get_rank())
#### findings
3 auto-check
#### the usual script
import os
import torch
import horovod.torch as hvd

def metric_average(val, name):
    tensor = torch.tensor(val)
    avg_tensor = hvd.allreduce(tensor, name=name)
    return avg_tensor.item()

def save():
    if hvd.rank() == 0:
        torch.save(model.state_dict(), 'x.pt')

hvd.init()
torch.cuda.set_device(hvd.local_rank())
model = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * hvd.size())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
hvd.broadcast_optimizer_state(optimizer, root_rank=0)
# how gradients travel
compression = hvd.Compression.fp16 if args.fp16 else hvd.Compression.none
optimizer = hvd.DistributedOptimizer(optimizer,
                                     named_parameters=model.named_parameters(),
                                     compression=compression)
model.train()
#### after
import os
import torch

def mean_over_ranks(tensor):
    """The mean of a tensor over all ranks; HCCL wants it on the NPU."""
    total = tensor.detach().clone().npu()
    torch.distributed.all_reduce(total)
    return (total / torch.distributed.get_world_size()).to(tensor.device)


def broadcast_optimizer_state(optimizer, root_rank):
    """Give all ranks the state that an optimizer has on one of them."""
    state = [optimizer.state_dict()]
    torch.distributed.broadcast_object_list(state, root_rank)
    optimizer.load_state_dict(state[0])


def metric_average(val, name):
    tensor = torch.tensor(val)
    avg_tensor = mean_over_ranks(tensor)
    return avg_tensor.item()

def save():
    if torch.distributed.get_rank() == 0:
        torch.save(model.module.state_dict(), 'x.pt')

torch.distributed.init_process_group('hccl')
torch.cuda.set_device(int(os.environ['LOCAL_RANK']))
model = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * torch.distributed.get_world_size())
broadcast_optimizer_state(optimizer, root_rank=0)
# how gradients travel
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[int(os.environ['LOCAL_RANK'])])
model.train()
#### a value of one rank
import torch
import horovod.torch as hvd
hvd.init()
epoch = hvd.broadcast(torch.tensor(epoch + hvd.rank()), root_rank=0, name='epoch').item()
hvd.shutdown()
#### after
import torch
torch.distributed.init_process_group('hccl')
def broadcast_from(tensor, root_rank):
    """The tensor of one rank on all ranks; HCCL wants it on the NPU."""
    sent = tensor.detach().clone().npu()
    torch.distributed.broadcast(sent, root_rank)
    return sent.to(tensor.device)


epoch = broadcast_from(torch.tensor(epoch + torch.distributed.get_rank()), root_rank=0).item()
torch.distributed.destroy_process_group()
#### two files, both can be rewritten
import torch
import horovod.torch as hvd
hvd.init()
#### file other.py
import torch
import horovod.torch as hvd
def first():
    return hvd.rank() == 0
#### after
import torch
torch.distributed.init_process_group('hccl')
