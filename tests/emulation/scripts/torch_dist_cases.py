"""Two ranks on hccl: what collectives give, what HCCL refuses, and models over several ranks.

Results of training are compared with the same training on the CPU over gloo, to the last bit.
"""

import contextlib
import copy
import datetime
import inspect
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.fsdp
import torch_npu
from torch import nn
from torch.distributed import ReduceOp
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, StateDictType
from torch.nn.parallel import DistributedDataParallel
from torch_harness import MissingError, case, close, raises, run_all, same

SIZE = 2
IN_KERNELS = hasattr(dist.ProcessGroup, "unbox")  # collectives: torch 2.3 and newer
torch.set_num_threads(1)


class Here:
    """This rank."""

    def __init__(self, rank):
        self.rank = rank
        self.cpu = dist.new_group([0, 1], backend="gloo")
        self.device = torch.device("npu", rank)


def npu(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype).npu()


def all_reduced(here, operation=ReduceOp.SUM, dtype=torch.float32, **named):
    tensor = npu(here.rank + 1, here.rank + 5, dtype=dtype)
    work = dist.all_reduce(tensor, operation, **named)
    if work is not None:
        work.wait()
    return tensor.cpu().tolist()


@case
def the_group_is_hccl(here):
    assert dist.get_backend() == "hccl"
    assert dist.is_hccl_available()
    assert dist.Backend.default_device_backend_map["npu"] == "hccl"
    backend = dist.group.WORLD._get_backend(torch.device("npu"))
    assert isinstance(backend, torch_npu._C._distributed_c10d.ProcessGroupHCCL)
    assert backend.name() == "hccl"
    assert isinstance(dist.group.WORLD, dist.ProcessGroup)
    assert (torch.npu.current_device(), npu(1.0).device) == (here.rank, here.device)


@case
def reductions(here):
    table = {
        ReduceOp.SUM: [3.0, 11.0],
        ReduceOp.AVG: [1.5, 5.5],
        ReduceOp.MIN: [1.0, 5.0],
        ReduceOp.MAX: [2.0, 6.0],
        ReduceOp.PRODUCT: [2.0, 30.0],
    }
    for operation, expected in table.items():
        assert all_reduced(here, operation) == expected, operation
        assert all_reduced(here, operation, async_op=True) == expected, operation
    if callable(ReduceOp.PREMUL_SUM):  # torch 2.10 and newer
        assert all_reduced(here, ReduceOp.PREMUL_SUM(0.5)) == [1.5, 5.5]


@case
def reductions_of_other_dtypes(here):
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16):
        assert all_reduced(here, dtype=dtype) == [3, 11], dtype
    assert all_reduced(here, dtype=torch.uint8) == [3, 11]
    assert all_reduced(here, dtype=torch.bool) == [True, True]
    mask = torch.tensor([here.rank == 0, False]).npu()
    dist.all_reduce(mask)
    assert mask.tolist() == [True, False]
    assert all_reduced(here, dtype=torch.complex64) == [3, 11]


@case
def what_hccl_cannot_reduce(here):
    for operation in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR):
        raises(RuntimeError, "Cannot use ReduceOp.B", all_reduced, here, operation, torch.int32)
    raises(
        RuntimeError,
        "HCCL allreduce: Unsupported data type at::kDouble",
        all_reduced,
        here,
        dtype=torch.float64,
    )
    raises(RuntimeError, "cast it to float32", all_reduced, here, dtype=torch.complex128)
    raises(RuntimeError, "output type Int", all_reduced, here, ReduceOp.AVG, torch.int32)
    small = npu(0, dtype=torch.uint8), npu(1, 2, dtype=torch.uint8)
    raises(
        RuntimeError,
        "HCCL _reduce_scatter_base: Unsupported data type at::kByte/at::kBool",
        dist.reduce_scatter_tensor,
        *small,
    )


@case
def tensors_hccl_does_not_take(here):
    raises(RuntimeError, 'init_process_group("cpu:gloo,npu:hccl")', dist.all_reduce, torch.ones(1))
    raises(
        RuntimeError,
        "No backend type associated with device type cpu",
        dist.broadcast,
        torch.ones(1),
        0,
    )
    places = [torch.ones(1), torch.ones(1)]
    raises(RuntimeError, "Tensors must be NPU and dense", dist.all_gather, places, npu(1.0))
    raises(RuntimeError, "Tensors must be contiguous", dist.all_reduce, torch.ones(2, 3).npu().t())
    raises(RuntimeError, "does not support recv", dist.recv, npu(1.0))
    raises((ValueError, RuntimeError), "GLOO", dist.monitored_barrier)
    if hasattr(torch, "float8_e4m3fnuz"):
        strange = torch.zeros(2, dtype=torch.float8_e4m3fnuz).npu()
        raises(RuntimeError, "Unsupported data type for HCCL", dist.broadcast, strange, 0)


CARRIED = [
    "uint8",
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
]
SENT = [getattr(torch, name) for name in CARRIED if hasattr(torch, name)]


def values(start, dtype, count=4):
    """0 to 4 in turn, from a number on: every type has these, but bool."""
    return ((torch.arange(count) + start) % 5).to(dtype)


def holds(tensor, expected):
    """A tensor of the NPU has the values of another one, of a type that may know no equality."""
    assert torch.equal(tensor.cpu().float(), expected.float()), (tensor.dtype, tensor.cpu())


@case
def every_dtype_can_be_sent(here):
    for dtype in SENT:
        shapes = values(here.rank, dtype), values(here.rank, dtype)[0], values(here.rank, dtype, 0)
        expected = values(1, dtype), values(1, dtype)[0], values(1, dtype, 0)
        for source, wanted in zip(shapes, expected):
            tensor = source.clone().npu()
            dist.broadcast(tensor, 1)
            holds(tensor, wanted)
        places = [values(3, dtype).npu() for _ in range(SIZE)]
        dist.all_gather(places, values(here.rank, dtype).npu())
        for rank, place in enumerate(places):
            holds(place, values(rank, dtype))
        joined = values(3, dtype, 8).npu()
        dist.all_gather_into_tensor(joined, values(here.rank, dtype).npu())
        holds(joined, torch.cat([values(rank, dtype).float() for rank in range(SIZE)]))
        received = values(3, dtype).npu()
        dist.scatter(received, [values(at, dtype).npu() for at in (0, 1)] if here.rank else None, 1)
        holds(received, values(here.rank, dtype))


@case
def every_dtype_can_be_exchanged(here):
    """Rank 0 gets the first value or row of each rank, rank 1 the other two."""
    own = slice(0, 1) if here.rank == 0 else slice(1, 3)
    sizes = [1 + here.rank] * SIZE
    for dtype in SENT:
        for shape in ((3,), (3, 2)):
            count = 3 if len(shape) == 1 else 6
            sent = [values(rank, dtype, count).view(shape) for rank in range(SIZE)]
            got = values(4, dtype, sum(sizes) * count // 3).view(-1, *shape[1:]).npu()
            dist.all_to_all_single(got, sent[here.rank].npu(), sizes, [1, 2])
            holds(got, torch.cat([one.float()[own] for one in sent]))


@case
def every_dtype_can_be_sent_in_every_memory_format(here):
    for dtype in SENT:
        image = values(here.rank, dtype, 24).view(1, 2, 3, 4)
        last = image.to(memory_format=torch.channels_last).npu()
        dist.broadcast(last, 1)
        holds(last, values(1, dtype, 24).view(1, 2, 3, 4))
        places = [torch.zeros_like(image).contiguous().npu() for _ in range(SIZE)]
        dist.all_gather(places, last)
        holds(places[0], values(1, dtype, 24).view(1, 2, 3, 4))


@case
def every_bit_arrives(here):
    numbers = torch.arange(-(2**15), 2**15).to(torch.int16)
    tensor = numbers.npu() if here.rank == 0 else torch.zeros_like(numbers).npu()
    dist.broadcast(tensor, 0)
    same(tensor, numbers)


@case
def collectives(here):
    rank = here.rank
    places = [torch.zeros(2).npu() for _ in range(SIZE)]
    dist.all_gather(places, npu(rank, 7))
    assert [place.tolist() for place in places] == [[0, 7], [1, 7]]
    joined = torch.zeros(4).npu()
    dist.all_gather_into_tensor(joined, npu(rank, 7))
    assert joined.tolist() == [0, 7, 1, 7]
    own = torch.zeros(2).npu()
    dist.reduce_scatter_tensor(own, npu(1, 2, 3, 4) * (rank + 1))
    assert own.tolist() == [[3, 6], [9, 12]][rank]
    dist.reduce_scatter_tensor(own, npu(1, 2, 3, 4) * (rank + 1), ReduceOp.AVG)
    assert own.tolist() == [[1.5, 3], [4.5, 6]][rank]
    dist.reduce_scatter(own, [npu(1, 2) * (rank + 1), npu(3, 4) * (rank + 1)])
    assert own.tolist() == [[3, 6], [9, 12]][rank]
    total = npu(rank + 1)
    dist.reduce(total, 1)
    assert rank == 0 or total.tolist() == [3]
    received = torch.zeros(1).npu()
    dist.scatter(received, [npu(3), npu(4)] if rank == 0 else None, 0)
    assert received.tolist() == [3 + rank]
    swapped = torch.zeros(2).npu()
    dist.all_to_all_single(swapped, npu(rank, rank + 10))
    assert swapped.tolist() == [[0, 1], [10, 11]][rank]
    uneven = torch.zeros(3 if rank else 1 + 2).npu()
    dist.all_to_all_single(
        uneven, npu(*range(3)) + 10 * rank, [1, 2] if rank == 0 else [2, 1], [[1, 2], [2, 1]][rank]
    )
    assert uneven.tolist() == [[0, 10, 11], [1, 2, 12]][rank]
    many = [torch.zeros(1).npu() for _ in range(SIZE)]
    dist.all_to_all(many, [npu(rank), npu(rank + 10)])
    assert [one.item() for one in many] == [[0, 1], [10, 11]][rank]
    dist.barrier()
    dist.barrier(device_ids=[rank])


@case
def joined_tensors_may_be_stacked(here):
    """One more dimension instead of more rows; from torch 2.3 on gloo alone does not take it."""
    rows = torch.arange(4.0).view(2, 2)
    for dtype in (torch.float32, torch.bfloat16, torch.int16):
        stack = torch.zeros(2, 2, 2, dtype=dtype).npu()
        dist.all_gather_into_tensor(stack, (rows + here.rank).to(dtype).npu())
        same(stack, torch.stack([rows, rows + 1]).to(dtype))
        part = torch.zeros(2, 2, dtype=dtype).npu()
        dist.reduce_scatter_tensor(part, stack)
        same(part, 2 * (rows + here.rank).to(dtype))
    numbers = torch.zeros(2).npu()
    dist.all_gather_into_tensor(numbers, torch.tensor(here.rank + 1.0).npu())
    assert numbers.tolist() == [1, 2]


@case
def joined_tensors_have_to_fit(here):
    gather, scatter = dist.all_gather_into_tensor, dist.reduce_scatter_tensor
    raises(RuntimeError, "world_size times input tensor size", gather, npu(1, 2, 3), npu(1, 2))
    raises(RuntimeError, "output size times world size", scatter, npu(1, 2), npu(1, 2, 3))
    whole = npu(1, 2, dtype=torch.int32)
    raises(RuntimeError, "the same type as input tensor", gather, whole, npu(1.0))


@case
def gathering_says_that_hccl_gathers_everywhere(here):
    places = [torch.zeros(1).npu() for _ in range(SIZE)] if here.rank == 1 else None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        dist.gather(npu(here.rank), places, 1)
    if here.rank == 1:
        assert [place.item() for place in places] == [0, 1]
        assert "HCCL doesn't support gather" in str(said[-1].message)


@case
def from_one_to_another(here):
    other = 1 - here.rank
    tensor = npu(5.0) if here.rank == 0 else npu(0.0)
    (dist.send if here.rank == 0 else dist.recv)(tensor, other)
    assert tensor.item() == 5
    got = npu(0.0)
    works = [dist.isend(npu(here.rank + 1.0), other), dist.irecv(got, other)]
    for work in works:
        work.wait()
    assert got.item() == other + 1
    joined = dist.batch_isend_irecv(
        [
            dist.P2POp(dist.isend, npu(here.rank + 3.0), other),
            dist.P2POp(dist.irecv, got, other),
        ]
    )
    assert len(joined) == 1
    joined[0].wait()
    assert got.item() == other + 3


@case
def objects(here):
    found = [None] * SIZE
    dist.all_gather_object(found, {"rank": here.rank})
    assert found == [{"rank": 0}, {"rank": 1}]
    reported = [here.rank, "x"]
    dist.broadcast_object_list(reported, 1)
    assert reported == [1, "x"]
    gathered = [None] * SIZE if here.rank == 0 else None
    dist.gather_object(here.rank, gathered)
    assert here.rank or gathered == [0, 1]
    given = [None]
    dist.scatter_object_list(given, ["a", "b"] if here.rank == 0 else None)
    assert given == ["ab"[here.rank]]


@case
def groups_of_lccl(here):
    group = dist.new_group([0, 1], backend="lccl")
    assert dist.get_backend(group) == "lccl"
    backend = group._get_backend(torch.device("npu"))
    assert type(backend) is torch_npu._C._distributed_c10d.ProcessGroupLCCL
    tensor = npu(1.0)
    dist.all_reduce(tensor, group=group)
    assert tensor.item() == 2
    sentence = (
        'backend lccl only. Move the tensor with .npu(), or start with init_process_group("cpu:'
    )
    raises(RuntimeError, sentence + 'gloo,npu:lccl")', dist.all_reduce, torch.ones(1), group=group)


@case
def other_groups(here):
    group = dist.new_group([0, 1])
    assert dist.get_backend(group) == "hccl"
    tensor = npu(1.0)
    dist.all_reduce(tensor, group=group)
    assert tensor.item() == 2
    alone = [dist.new_group([rank]) for rank in range(SIZE)][here.rank]
    dist.all_reduce(tensor, group=alone)
    assert tensor.item() == 2
    outer = dist.new_group([0, 1], backend="cpu:gloo,npu:hccl")
    on_cpu = torch.ones(1)
    dist.all_reduce(on_cpu, group=outer)
    dist.all_reduce(tensor, group=outer)
    assert (on_cpu.item(), tensor.item()) == (2, 4)
    dist.destroy_process_group(group)


@case
def options_of_the_group(here):
    options = torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()
    options.hccl_config = {"hccl_buffer_size": 200}
    group = dist.new_group(
        [0, 1], timeout=datetime.timedelta(seconds=20), backend="hccl", pg_options=options
    )
    kept = group._get_backend(torch.device("npu")).options
    assert kept.hccl_config == {"hccl_buffer_size": 200}
    assert kept._timeout == datetime.timedelta(seconds=20)
    assert kept.global_ranks_in_group == [0, 1]


@case
def several_in_one_block(here):
    first, second = npu(1.0), npu(2.0)
    with dist._coalescing_manager(device=here.device):
        dist.all_reduce(first)
        dist.all_reduce(second)
    assert (first.item(), second.item()) == (2, 4)
    outputs = [torch.zeros(2).npu() for _ in range(2)]
    with dist._coalescing_manager(device=here.device, async_ops=True) as block:
        for output in outputs:
            dist.all_gather_into_tensor(output, npu(here.rank))
    block.wait()
    assert [output.tolist() for output in outputs] == [[0, 1], [0, 1]]
    parts = [torch.zeros(1).npu() for _ in range(2)]
    with dist._coalescing_manager(device=here.device):
        for part in parts:
            dist.reduce_scatter_tensor(part, npu(1.0, 2.0), ReduceOp.AVG)
    assert [part.item() for part in parts] == [here.rank + 1.0] * 2


@case
def several_in_one_call(here):
    first, second = npu(here.rank + 1.0), npu(here.rank + 2.0)
    dist.all_reduce_coalesced([first, second], ReduceOp.AVG)
    assert (first.item(), second.item()) == (1.5, 2.5)
    for dtype in (torch.float32, torch.bfloat16):
        places = [[npu(0, dtype=dtype), npu(0, 0, dtype=dtype)] for _ in range(SIZE)]
        own = [npu(here.rank, dtype=dtype), npu(here.rank, 7, dtype=dtype)]
        dist.all_gather_coalesced(places, own)
        assert [[one.tolist() for one in row] for row in places] == [[[0], [0, 7]], [[1], [1, 7]]]


@case
def functional_collectives(here):
    import torch.distributed._functional_collectives as functional

    group = dist.group.WORLD
    same(functional.all_reduce(npu(here.rank + 1.0), "sum", group), torch.tensor([3.0]))
    same(functional.all_reduce(npu(here.rank + 1.0), "avg", group), torch.tensor([1.5]))
    same(functional.all_gather_tensor(npu(here.rank), 0, group), torch.tensor([0.0, 1.0]))
    scattered = functional.reduce_scatter_tensor(npu(1.0, 2.0), "sum", 0, group)
    same(scattered, torch.tensor([[2.0], [4.0]][here.rank]))


@case
def collectives_have_derivatives(here):
    import torch.distributed.nn.functional as differentiable

    x = torch.ones(2).npu().requires_grad_()
    differentiable.all_reduce(x * (here.rank + 1)).sum().backward()
    assert x.grad.tolist() == [2 * (here.rank + 1)] * 2
    x.grad = None
    joined = differentiable._all_gather_base(torch.empty(4).npu(), x * 1)
    (joined * npu(0.0, 1.0, 2.0, 3.0)).sum().backward()
    assert x.grad.tolist() == [[0, 2], [4, 6]][here.rank]


@case
def data_parallel_in_one_process_is_refused(here):
    model = nn.DataParallel(nn.Linear(2, 2).npu())
    raises(RuntimeError, "Use DistributedDataParallel", model, torch.ones(4, 2).npu())


@case
def gradients_of_sharded_models_are_scaled(here):
    from torch.distributed.fsdp import sharded_grad_scaler

    if "_get_privateuse1_backend_name" not in inspect.getsource(sharded_grad_scaler):
        raise MissingError("this torch has a scaler for CUDA, whatever the device")
    scaler = sharded_grad_scaler.ShardedGradScaler(init_scale=8.0)
    weight = nn.Parameter(torch.ones(2).npu())
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler.scale((weight * (float("inf") if here.rank else 1.0)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 4.0
    assert weight.tolist() == [1.0, 1.0]


@case
def the_future_of_work_holds_tensors_of_the_npu(here):
    work = dist.all_reduce(npu(1.0), async_op=True)
    assert work.get_future().wait()[0].device.type == "npu"


@case
def uneven_collectives_of_torch_npu(here):
    from torch_npu import distributed

    output = torch.zeros(3).npu()
    own = npu(1.0) if here.rank == 0 else npu(2.0, 3.0)
    distributed.all_gather_into_tensor_uneven(output, own, [1, 2])
    assert output.tolist() == [1, 2, 3]
    part = torch.zeros(1 + here.rank).npu()
    distributed.reduce_scatter_tensor_uneven(part, npu(1.0, 2.0, 3.0), [1, 2])
    assert part.tolist() == [[2], [4, 6]][here.rank]


@case
def two_ranks_give_the_bits_of_gloo(here):
    generator = torch.Generator().manual_seed(here.rank)
    # gloo of torch 2.1 adds up no bfloat16
    for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if IN_KERNELS else 2]:
        values = torch.randn(1000, generator=generator).to(dtype)
        on_npu, on_cpu = values.clone().npu(), values.clone()
        dist.all_reduce(on_npu)
        dist.all_reduce(on_cpu, group=here.cpu)
        same(on_npu, on_cpu)


# --- models ---


def image_network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10)
    )


def train(here, model, device, steps=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(100 + here.rank)
    losses = []
    for _ in range(steps):
        x = torch.randn(4, 3, 8, 8, generator=generator).to(device)
        y = torch.randint(0, 10, (4,), generator=generator).to(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [parameter.detach().cpu() for parameter in model.parameters()]


def parallel(here, make, device, **settings):
    if device == "cpu":
        return DistributedDataParallel(make(), process_group=here.cpu, **settings)
    return DistributedDataParallel(make().npu(), device_ids=[here.rank], **settings)


PARALLEL = {
    "plain": {},
    "views of buckets": {"gradient_as_bucket_view": True, "bucket_cap_mb": 1},
    "no buffers": {"broadcast_buffers": False},
    "static graph": {"static_graph": True},
    "unused parameters": {"find_unused_parameters": True},
    "unused parameters, views": {"find_unused_parameters": True, "gradient_as_bucket_view": True},
}


@case
def data_parallel_trains_as_on_the_cpu(here):
    for name, settings in PARALLEL.items():
        found = train(here, parallel(here, image_network, "npu", **settings), "npu")
        expected = train(here, parallel(here, image_network, "cpu", **settings), "cpu")
        assert found[0] == expected[0], name
        for one, other in zip(found[1], expected[1]):
            same(one, other)


class Branches(nn.Module):
    """Every rank uses another branch, and nobody the last one."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.branches = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.head = nn.Linear(4, 2)

    def forward(self, x, branch):
        return self.head(self.branches[branch](x))


@case
def unused_parameters_are_found(here):
    grads = []
    for device in ("npu", "cpu"):
        model = parallel(here, Branches, device, find_unused_parameters=True)
        for _ in range(2):
            model.zero_grad()
            model(torch.ones(3, 4).to(device) * (here.rank + 1), here.rank).pow(2).sum().backward()
        assert model.module.branches[2].weight.grad is None
        grads.append([model.module.branches[at].weight.grad for at in range(2)])
    for one, other in zip(*grads):
        same(one, other)
    same(torch.empty(2, 3).fill_(1), torch.ones(2, 3))


@case
def gradients_can_wait(here):
    grads = []
    for device in ("npu", "cpu"):
        model = parallel(here, image_network, device)
        x = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(here.rank)).to(device)
        with model.no_sync():
            model(x).sum().backward()
        model(x).sum().backward()
        grads.append([parameter.grad for parameter in model.parameters()])
    for one, other in zip(*grads):
        same(one, other)


@case
def ranks_with_fewer_batches_can_join(here):
    weights = []
    for device in ("npu", "cpu"):
        torch.manual_seed(0)
        model = parallel(here, lambda: nn.Linear(3, 1), device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with model.join():
            for at in range(2 + here.rank):
                optimizer.zero_grad()
                model(torch.full((2, 3), at + 1.0).to(device)).sum().backward()
                optimizer.step()
        weights.append(model.module.weight)
    close(weights[0].detach(), weights[0].detach().cpu())


@case
def hooks_on_the_gradients(here):
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    plain = train(here, parallel(here, image_network, "npu"), "npu")
    hooked = parallel(here, image_network, "npu")
    hooked.register_comm_hook(None, default_hooks.allreduce_hook)
    assert train(here, hooked, "npu")[0] == plain[0]
    hooked = parallel(here, image_network, "npu")
    hooked.register_comm_hook(None, default_hooks.fp16_compress_hook)
    close(torch.tensor(train(here, hooked, "npu")[0]), torch.tensor(plain[0]), 1e-3)


NORMS = [
    (nn.BatchNorm1d, lambda rank: (4 + rank, 3)),
    (nn.BatchNorm1d, lambda rank: (2 + 2 * rank, 3, 5)),
    (nn.BatchNorm2d, lambda rank: (3, 3, 4, 4)),
    (nn.BatchNorm3d, lambda rank: (2, 3, 2, 2, 2)),
]


@case
def batch_norm_over_ranks_is_that_of_the_joined_batch(here):
    for kind, shape in NORMS:
        for affine in (True, False):
            one_norm(here, kind, shape, affine)


def one_norm(here, kind, shape, affine):
    generators = [torch.Generator().manual_seed(rank) for rank in range(SIZE)]
    batches = [
        torch.randn(shape(rank), generator=generators[rank]) * 2 + 50 for rank in range(SIZE)
    ]
    weights = [torch.randn(shape(rank), generator=generators[rank]) for rank in range(SIZE)]
    torch.manual_seed(1)
    single = kind(3, affine=affine)
    if affine:
        nn.init.uniform_(single.weight)
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(single)).npu()
    assert type(synced) is nn.SyncBatchNorm
    single.double()
    joined = torch.cat(batches).double().requires_grad_()
    expected = single(joined)
    (expected * torch.cat(weights).double()).sum().backward()
    own = batches[here.rank].npu().requires_grad_()
    found = synced(own)
    (found * weights[here.rank].npu()).sum().backward()
    start = sum(len(batch) for batch in batches[: here.rank])
    rows = slice(start, start + len(own))
    close(found.detach(), expected.detach()[rows], 1e-4)
    close(own.grad, joined.grad[rows], 1e-4)
    close(synced.running_mean, single.running_mean, 1e-4)
    close(synced.running_var, single.running_var, 1e-4)
    for parameter, other in zip(synced.parameters(), single.parameters()):
        grad = parameter.grad.clone()
        dist.all_reduce(grad)
        close(grad, other.grad, 1e-3)
    synced.eval()
    single.eval()
    close(synced(own).detach(), single(joined).detach()[rows], 1e-4)


def small_network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


def train_small(here, model, device):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(here.rank)
    losses = []
    for _ in range(4):
        x = torch.randn(8, 16, generator=generator).to(device)
        y = torch.randint(0, 4, (8,), generator=generator).to(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def make_mesh():
    """All ranks in a row, for the names that releases have for it."""
    try:
        from torch.distributed.device_mesh import init_device_mesh
    except ImportError:  # torch 2.1
        from torch.distributed._tensor import DeviceMesh

        return DeviceMesh("npu", list(range(SIZE)))
    return init_device_mesh("npu", (SIZE,))


def get_fully_shard():
    fully_shard = getattr(torch.distributed.fsdp, "fully_shard", None)
    if fully_shard is None:
        raise MissingError("this torch has no torch.distributed.fsdp.fully_shard")
    return fully_shard


SHARDED = {
    "plain": {},
    "original parameters": {"use_orig_params": True},
    "whole parameters": {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP},
}


@case
def sharded_models_train_as_data_parallel_ones(here):
    expected = train_small(here, parallel(here, small_network, "cpu"), "cpu")
    for name, settings in SHARDED.items():
        model = FullyShardedDataParallel(small_network().npu(), device_id=here.device, **settings)
        assert train_small(here, model, "npu") == expected, name


@case
def sharded_models_give_whole_weights(here):
    model = FullyShardedDataParallel(small_network().npu(), device_id=here.device)
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT):
        found = model.state_dict()
    for name, weight in small_network().state_dict().items():
        same(found[name], weight)


@case
def sharded_parameters_train_as_data_parallel_ones(here):
    fully_shard = get_fully_shard()
    expected = train_small(here, parallel(here, small_network, "cpu"), "cpu")
    mesh = make_mesh()
    assert mesh.device_type == "npu"
    for reshard in (True, False):
        model = small_network().npu()
        for layer in (model[0], model[2]):
            fully_shard(layer, mesh=mesh, reshard_after_forward=reshard)
        fully_shard(model, mesh=mesh, reshard_after_forward=reshard)
        assert model[0].weight.to_local().shape == (16, 16)
        assert train_small(here, model, "npu") == expected, reshard
        assert model[0].weight.full_tensor().shape == (32, 16)


@case
def tensors_over_ranks(here):
    try:
        from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    except ImportError:  # torch before 2.5
        from torch.distributed._tensor import Replicate, Shard, distribute_tensor

    mesh, everywhere = make_mesh(), [Replicate()]
    whole = torch.arange(8.0).view(4, 2)
    split = distribute_tensor(whole.npu(), mesh, [Shard(0)])
    same(split.to_local(), whole[2 * here.rank : 2 * here.rank + 2])
    same((split * 2).redistribute(mesh, everywhere).to_local(), whole * 2)
    assert split.sum().redistribute(mesh, everywhere).to_local().item() == 28


@case
def modules_over_ranks(here):
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    model, x = small_network().npu(), torch.ones(3, 16).npu()
    expected = model(x).detach()
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    close(parallelize_module(model, make_mesh(), plan)(x).detach(), expected)


@case
def checkpoints_over_ranks(here):
    fully_shard = get_fully_shard()
    import torch.distributed.checkpoint as checkpoint
    from torch.distributed.checkpoint.state_dict import get_model_state_dict

    folder = [tempfile.mkdtemp() if here.rank == 0 else None]
    dist.broadcast_object_list(folder, 0)
    model = small_network().npu()
    fully_shard(model, mesh=make_mesh())
    with contextlib.redirect_stderr(None):
        checkpoint.save({"model": get_model_state_dict(model)}, checkpoint_id=folder[0])
    with torch.no_grad():
        model[0].weight.zero_()
    checkpoint.load({"model": get_model_state_dict(model)}, checkpoint_id=folder[0])
    same(model[0].weight.full_tensor(), small_network()[0].weight)


def on_rank(rank, prefix):
    """Meet the other rank, run the cases, write what came of them."""
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(SIZE), LOCAL_RANK=str(rank))
    torch.npu.set_device(rank)
    dist.init_process_group(
        "hccl",
        init_method=Path(prefix + "-store").as_uri(),
        rank=rank,
        world_size=SIZE,
        timeout=datetime.timedelta(seconds=60),
    )
    Path(f"{prefix}-{rank}.json").write_text(json.dumps(run_all(Here(rank))))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.multiprocessing.spawn(on_rank, (sys.argv[1],), SIZE)
