"""Mistakes that a GPU refuses, with the class and the message of PyTorch's error; and no mistakes.

Sources: PyTorch's common device check, TensorIterator, IndexingUtils, python_variable_indexing,
grad_mode of ``Tensor.grad``, ``torch.cuda``, ``DistributedDataParallel`` and distributed_c10d.
"""

import copy
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from gpu_cases import case, main, raises
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

APART = "Expected all tensors to be on the same device"
NO_BACKEND = "No backend type associated with device type cpu"


def here(*shape):
    return torch.rand(*shape)


def there(*shape, gpu=0):
    return torch.rand(*shape, device=gpu)


def numbers():
    return torch.arange(2)


@case
def operators_take_tensors_of_one_device():
    for mistake in (
        lambda: here(2) + there(2),
        lambda: there(2) * here(2),
        lambda: here(2) + there(1)[0],
        lambda: there(2).add_(here(2)),
        lambda: there(2).addcmul_(here(2), there(2)),
        lambda: there(2) == here(2),
        lambda: there(2, 2) @ here(2, 2),
        lambda: torch.bmm(there(1, 2, 2), here(1, 2, 2)),
        lambda: torch.cat([there(2), here(2)]),
        lambda: torch.stack([there(1)[0], here(1)[0]]),
        lambda: torch.where(here(2) > 1, there(2), there(2)),
        lambda: torch.einsum("i,i->i", there(2), here(2)),
        lambda: torch.add(there(2), there(2), out=here(2)),
        lambda: torch.maximum(there(2), there(2, gpu=1)),
        lambda: there(1)[0] + there(1, gpu=1)[0],
        lambda: torch.equal(there(2), here(2)),
        lambda: torch.allclose(there(2), here(2)),
        lambda: there(2).gather(0, numbers()),
        lambda: there(2).index_select(0, numbers()),
        lambda: there(2).scatter_(0, numbers(), there(2)),
        lambda: there(2).index_add_(0, numbers().cuda(), here(2)),
        lambda: there(2).masked_fill(here(2) > 1, 0.0),
        lambda: there(2).masked_select(here(2) > 1),
        lambda: torch._foreach_add_([there(2)], [here(2)]),
        lambda: torch.bucketize(there(2), here(3)),
        lambda: there(2).repeat_interleave(numbers()),
    ):
        raises(RuntimeError, APART, mistake)


@case
def layers_take_tensors_of_one_device():
    linear, image = nn.Linear(2, 2).cuda(), nn.Conv2d(1, 1, 1).cuda()
    for mistake in (
        lambda: linear(here(2)),
        lambda: nn.Linear(2, 2)(there(2)),
        lambda: image(here(1, 1, 2, 2)),
        lambda: nn.BatchNorm1d(2)(there(3, 2)),
        lambda: nn.LayerNorm(2)(there(3, 2)),
        lambda: nn.Embedding(2, 2).cuda()(numbers()),
        lambda: nn.LSTM(2, 2).cuda()(here(3, 1, 2)),
        lambda: nn.GRU(2, 2).cuda()(there(3, 1, 2), here(1, 1, 2)),
        lambda: functional.cross_entropy(there(2, 3), numbers()),
        lambda: functional.nll_loss(there(2, 3), numbers().cuda(), weight=here(3)),
        lambda: functional.mse_loss(there(2), here(2)),
        lambda: functional.binary_cross_entropy_with_logits(there(2), here(2)),
        lambda: functional.scaled_dot_product_attention(*[there(1, 1, 2, 2)] * 2, here(1, 1, 2, 2)),
        lambda: nn.MultiheadAttention(2, 1).cuda()(*[here(1, 1, 2)] * 3),
        lambda: functional.grid_sample(there(1, 1, 2, 2), here(1, 2, 2, 2)),
        lambda: linear(next(iter(torch.utils.data.DataLoader(here(2, 2))))),
    ):
        raises(RuntimeError, "", mistake)


@case
def tensors_are_indexed_and_assigned_on_one_device():
    indices = "indices should be either on cpu or on the same device"
    raises(RuntimeError, indices, lambda: here(2)[numbers().cuda()])
    raises(RuntimeError, indices, lambda: here(2)[there(2) > 1])
    raises(RuntimeError, indices, here(2).__setitem__, numbers().cuda(), 0.0)
    raises(RuntimeError, APART, there(2).__setitem__, numbers().cuda(), here(2))
    raises(RuntimeError, APART, there(2).index_put_, (numbers().cuda(),), here(2))
    weight = nn.Parameter(there(2))
    raises(RuntimeError, "attempting to assign a gradient", setattr, weight, "grad", here(2))


@case
def what_is_on_a_gpu_is_not_on_the_cpu():
    for mistake in (
        lambda: there(2).numpy(),
        lambda: np.asarray(there(2)),
        lambda: np.array([there(2), there(2)]),
    ):
        raises(TypeError, "can't convert cuda:0 device type tensor to numpy", mistake)
    raises(RuntimeError, "cannot pin 'torch.cuda.FloatTensor'", there(2).pin_memory)
    raises(RuntimeError, "Only dense CPU tensors", torch.zeros, 2, device="cuda", pin_memory=True)


@case
def whole_numbers_are_not_multiplied_as_matrices():
    whole = torch.ones(2, 2, dtype=torch.int64)
    assert (whole @ whole).tolist() == [[2, 2], [2, 2]]
    for mistake in (
        lambda: whole.cuda() @ whole.cuda(),
        lambda: whole.cuda().mm(whole.cuda()),
        lambda: functional.linear(whole.cuda(), whole.cuda()),
    ):
        raises(RuntimeError, "\"addmm_cuda\" not implemented for 'Long'", mistake)


@case
def generators_are_of_the_device():
    on_cpu, on_gpu = torch.Generator(), torch.Generator("cuda")
    of_cpu = "Expected a 'cuda' device type for generator but found 'cpu'"
    of_gpu = "Expected a 'cpu' device type for generator but found 'cuda'"
    raises(RuntimeError, of_cpu, torch.rand, 2, device="cuda", generator=on_cpu)
    raises(RuntimeError, of_cpu, there(2).normal_, generator=on_cpu)
    raises(RuntimeError, of_cpu, torch.multinomial, there(2), 1, generator=on_cpu)
    raises(RuntimeError, of_gpu, torch.randperm, 3, generator=on_gpu)
    raises(RuntimeError, of_gpu, here(2).uniform_, generator=on_gpu)
    data = torch.utils.data.DataLoader(here(4, 2), shuffle=True, generator=on_gpu)
    raises(RuntimeError, of_gpu, list, data)
    # this is how programs with a default device shuffle
    torch.set_default_device("cuda")
    try:
        data = torch.utils.data.DataLoader(there(4, 2), shuffle=True, generator=on_gpu)
        assert len(list(data)) == 4
    finally:
        torch.set_default_device(None)


@case
def devices_must_exist():
    raises(RuntimeError, "invalid device ordinal", torch.cuda.set_device, 5)
    raises(RuntimeError, "invalid device ordinal", nn.Linear(2, 2).to, "cuda:5")
    raises(RuntimeError, "invalid device ordinal", torch.cuda.device(5).__enter__)
    raises(ValueError, "Expected a cuda device", torch.cuda.set_device, "cpu")
    raises(ValueError, "with a specified index", torch.cuda.set_device, "cuda")
    raises(ValueError, "Expected a cuda device", torch.cuda.device, "cpu")


@case
def optimizers_step_on_one_device():
    for make in (
        lambda some: torch.optim.SGD(some, 0.1, momentum=0.9, foreach=False),
        lambda some: torch.optim.SGD(some, 0.1, momentum=0.9, foreach=True),
        lambda some: torch.optim.Adam(some, foreach=False),
        lambda some: torch.optim.AdamW(some, foreach=True),
    ):
        weight = nn.Parameter(here(2))
        optimizer = make([weight])
        weight.sum().backward()
        optimizer.step()
        weight.data = weight.data.cuda()
        weight.grad = weight.grad.cuda()
        raises(RuntimeError, APART, optimizer.step)


@case
def forked_processes_cannot_use_the_gpu():
    there(2)
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        try:
            there(2)
            os.write(writes, b"no error")
        except RuntimeError as error:
            os.write(writes, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reads, 1000).startswith(b"Cannot re-initialize CUDA in forked subprocess")


@case
def replicas_start_from_a_module_on_the_gpu():
    model = nn.DataParallel(nn.Linear(2, 2))
    raises(RuntimeError, "module must have its parameters and buffers on device cuda:0", model, 1)
    assert nn.DataParallel(nn.Linear(2, 2).cuda())(here(3, 2)).is_cuda


@case
def what_a_gpu_takes_is_taken():
    """Programs that mix devices and are right."""
    x = there(4, 3)
    assert (x + here(1)[0]).is_cuda and (torch.tensor(2.0) * x).is_cuda
    assert x[torch.tensor([0, 1])].is_cuda and x[here(4) > 0.5].is_cuda
    assert x[torch.tensor(1)].is_cuda and not here(2)[torch.tensor(1).cuda()].is_cuda
    x[torch.tensor([0, 1])] = there(2, 3)
    x[0] = here(3)
    x[:2] = here(2, 3)
    x[numbers()] = torch.tensor(3.0)
    x.copy_(here(4, 3))
    y = here(4, 3)
    assert not y.copy_(x).is_cuda and y.type_as(x).is_cuda and not y.view_as(x).is_cuda
    assert here(1, 3).expand_as(x).device.type == "cpu"
    assert torch.where(x > 0.5, x, torch.tensor(0.0)).is_cuda
    assert (
        x.masked_fill(x > 0.5, torch.tensor(0.0)).is_cuda and x.clamp(min=torch.tensor(0.1)).is_cuda
    )
    assert not torch.tensor([x.sum(), x.mean()]).is_cuda and torch.tensor(x[0, 0]).is_cuda
    assert torch.as_tensor(x).is_cuda and x.new_tensor(here(2)).is_cuda
    lengths = torch.tensor([2, 1])
    packed = nn.utils.rnn.pack_padded_sequence(there(3, 2, 2), lengths)
    output, lengths = nn.utils.rnn.pad_packed_sequence(nn.LSTM(2, 2).cuda()(packed)[0])
    assert output.is_cuda and not lengths.is_cuda
    losses = functional.ctc_loss(
        there(5, 2, 3).log_softmax(-1), torch.ones(2, 2, dtype=torch.long), [5, 5], [2, 2]
    )
    assert losses.is_cuda
    assert x.tensor_split(torch.tensor([1]))[0].is_cuda
    assert np.asarray(x.cpu()).shape == (4, 3) and x.numpy(force=True).shape == (4, 3)
    model, other = nn.Linear(3, 2), nn.Linear(3, 2).cuda()
    other.load_state_dict(model.state_dict())
    model.load_state_dict(other.state_dict())
    assert copy.deepcopy(other)(x).is_cuda and model(x.cpu()).device.type == "cpu"
    optimizer = torch.optim.Adam(other.parameters())
    other(x).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save({"model": other.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")
    optimizer.load_state_dict(loaded["optimizer"])
    optimizer.step()
    mine = model(loaded["model"]["weight"].sum() * here(3))
    assert not mine.is_cuda
    for name, one in loaded["model"].items():
        other.state_dict()[name].mul_(0.5).add_(one.cuda(), alpha=0.5)
    for batch in torch.utils.data.DataLoader(here(4, 3), 2, pin_memory=True):
        assert other(batch.cuda(non_blocking=True)).is_cuda
    running = torch.zeros(1)
    running += other(x).sum().item()
    total = 0.0
    total += other(x).sum()
    assert total.is_cuda and float(running) == float(running)
    ema = [one.detach().cpu() for one in other.parameters()]
    assert not any(one.is_cuda for one in ema)
    nn.utils.clip_grad_norm_([*other.parameters()], 1.0)
    generator = torch.Generator("cuda")
    assert torch.rand(2, device="cuda", generator=generator).is_cuda
    with torch.no_grad():
        assert other(x.requires_grad_()).is_cuda


def collectives(rank):
    """What NCCL refuses for tensors of the CPU, and what another backend of the group takes."""
    mine, parts = here(2), [here(2), here(2)]
    for mistake in (
        lambda: dist.all_reduce(torch.tensor(1.0)),
        lambda: dist.all_reduce(mine, async_op=True),
        lambda: dist.broadcast(mine, 0),
        lambda: dist.reduce(mine, 0),
        lambda: dist.all_gather(parts, mine),
        lambda: dist.all_gather_into_tensor(here(4), mine),
        lambda: dist.gather(mine, parts if rank == 0 else None),
        lambda: dist.scatter(mine, parts if rank == 0 else None),
        lambda: dist.reduce_scatter(mine, parts),
        lambda: dist.reduce_scatter_tensor(mine, here(4)),
        lambda: dist.all_to_all_single(mine, here(2)),
        lambda: dist.send(mine, 1 - rank),
        lambda: dist.recv(mine, 1 - rank),
        lambda: dist.isend(mine, 1 - rank),
        lambda: dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, 1 - rank)]),
        lambda: dist.all_reduce(mine, group=dist.new_group([0, 1])),
        lambda: DistributedDataParallel(nn.Linear(2, 2)),
    ):
        raises(RuntimeError, NO_BACKEND, mistake)
    raises(ValueError, "Tensors must be CUDA and dense", dist.all_gather, parts, mine.cuda())
    raises(ValueError, "only implemented for GLOO", dist.monitored_barrier)
    raises(TypeError, "List[int]", dist.barrier, device_ids=rank)
    raises(RuntimeError, "invalid device ordinal", dist.barrier, device_ids=[7])
    only_gpus = "device_ids and output_device arguments only work with single-device"
    raises(ValueError, only_gpus, DistributedDataParallel, nn.Linear(2, 2), device_ids=[rank])
    dist.barrier(device_ids=[rank])
    objects = [None, None]
    dist.all_gather_object(objects, rank)
    assert objects == [0, 1]
    for backend in ("gloo", "cpu:gloo,cuda:nccl"):
        total = torch.tensor(1.0 + rank)
        dist.all_reduce(total, group=dist.new_group([0, 1], backend=backend))
        assert total.item() == 3.0 and not total.is_cuda
    both = dist.new_group([0, 1], backend="cpu:gloo,cuda:nccl")
    total = torch.tensor(1.0 + rank, device="cuda")
    dist.all_reduce(total, op=dist.ReduceOp.AVG, group=both)
    assert total.item() == 1.5
    model = DistributedDataParallel(nn.Linear(2, 2).to(rank), device_ids=[rank])
    # its input is moved to the device
    model(here(3, 2)).sum().backward()
    assert model.device_ids == [rank] and model.module.weight.grad.is_cuda


def joined(rank, path):
    torch.cuda.set_device(rank)
    store = dist.FileStore(path, 2)
    dist.init_process_group("nccl", store=store, rank=rank, world_size=2)
    collectives(rank)
    dist.barrier()
    dist.destroy_process_group()


@case
def nccl_takes_tensors_of_gpus():
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(joined, (str(Path(folder) / "store"),), 2)


if __name__ == "__main__":
    main()
