"""How a program written for two GPUs starts its ranks, and what they exchange."""

import datetime
import inspect
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from gpu_cases import MissingError, case, main, needs, raises
from torch import nn

RANKS = 2


def alone(backend="nccl", **options):
    """Start a group of one rank."""
    store = dist.HashStore()
    dist.init_process_group(backend, store=store, rank=0, world_size=1, **options)


@case
def nccl_is_built_in():
    assert dist.is_nccl_available() and dist.is_available()
    options = dist.ProcessGroupNCCL.Options()
    options.is_high_priority_stream = True
    assert dist.distributed_c10d.ProcessGroupNCCL is dist.ProcessGroupNCCL


@case
def groups_answer_to_the_name_of_nccl():
    both = "cpu:gloo,cuda:nccl"
    for backend, name in (
        ("nccl", "nccl"),
        ("NCCL", "nccl"),
        (both, both),
        (None, "undefined"),
    ):
        alone(backend, timeout=datetime.timedelta(seconds=60))
        assert dist.is_initialized() and dist.get_world_size() == 1
        assert dist.get_backend() == name
        assert dist.get_backend(dist.new_group([0])) == name
        assert dist.get_backend(dist.new_group([0], backend="gloo")) == "gloo"
        dist.destroy_process_group()
    assert not dist.is_initialized()


@case
def groups_take_a_device():
    if "device_id" not in inspect.signature(dist.init_process_group).parameters:
        raise MissingError("this release's init_process_group takes no device_id")
    alone(device_id=torch.device("cuda", 0))
    dist.barrier(device_ids=[0])
    dist.destroy_process_group()


@case
def modules_are_wrapped():
    alone()
    x = torch.ones(4, 3).cuda()
    for options in ({"device_ids": [0], "output_device": 0}, {"find_unused_parameters": True}):
        module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).to(0)
        module = nn.SyncBatchNorm.convert_sync_batchnorm(module)
        wrapped = nn.parallel.DistributedDataParallel(module, **options)
        output = wrapped(x)
        output.sum().backward()
        assert output.is_cuda and module[0].weight.grad.is_cuda
        with wrapped.no_sync():
            wrapped(x).sum().backward()
    dist.destroy_process_group()


@case
def meshes_are_of_cuda():
    make = needs(dist, "device_mesh", "init_device_mesh")
    alone()
    mesh = make("cuda", (1,), mesh_dim_names=("dp",))
    assert mesh.device_type == "cuda" and mesh.size() == 1 and mesh.get_group() is not None
    dist.destroy_process_group()


def in_two_ranks(body):
    """Run a function in two processes that have joined a group of NCCL."""
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(joined, (body, str(Path(folder) / "store")), RANKS)


def joined(rank, body, path):
    torch.cuda.set_device(rank)
    store = dist.FileStore(path, RANKS)
    dist.init_process_group("nccl", store=store, rank=rank, world_size=RANKS)
    body(rank)
    dist.barrier()
    dist.destroy_process_group()


def exchange(rank):
    """All that NCCL can and that programs train with."""
    mine = torch.full((2,), 1.0 + rank, device="cuda")
    assert mine.get_device() == rank

    def summed(operation):
        copy = mine.clone()
        dist.all_reduce(copy, op=operation)
        assert copy.is_cuda
        return copy.tolist()

    assert summed(dist.ReduceOp.SUM) == [3.0] * 2 and summed(dist.ReduceOp.AVG) == [1.5] * 2
    assert summed(dist.ReduceOp.MAX) == [2.0] * 2
    work = dist.all_reduce(mine.clone(), async_op=True)
    work.wait()
    half = mine.half()
    dist.all_reduce(half)
    assert half.tolist() == [3.0] * 2
    flags = torch.tensor([rank == 0], device="cuda")
    dist.broadcast(flags, 0)
    assert flags.item()
    parts = [torch.empty_like(mine) for _ in range(RANKS)]
    dist.all_gather(parts, mine)
    assert [one.tolist() for one in parts] == [[1.0] * 2, [2.0] * 2]
    whole = torch.empty(4, device="cuda")
    dist.all_gather_into_tensor(whole, mine)
    assert whole.tolist() == [1.0, 1.0, 2.0, 2.0]
    part = torch.empty(1, device="cuda")
    for operation, expected in ((dist.ReduceOp.SUM, 3.0), (dist.ReduceOp.AVG, 1.5)):
        dist.reduce_scatter_tensor(part, mine, op=operation)
        assert part.item() == expected
    dist.reduce_scatter(part, [mine[:1].clone(), mine[1:].clone()])
    assert part.item() == 3.0
    got = torch.empty(2, device="cuda")
    dist.all_to_all_single(got, torch.tensor([10.0 * rank, 10.0 * rank + 1], device="cuda"))
    assert got.tolist() == [rank, 10.0 + rank]
    lists = [torch.empty(1, device="cuda") for _ in range(RANKS)]
    dist.all_to_all(lists, [mine[:1].clone(), mine[1:].clone()])
    assert [one.item() for one in lists] == [1.0, 2.0]
    total = mine.clone()
    dist.reduce(total, 0, op=dist.ReduceOp.AVG)
    assert rank or total.tolist() == [1.5] * 2
    objects = [None] * RANKS
    dist.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": 0}, {"rank": 1}]
    reported = [rank]
    dist.broadcast_object_list(reported, 0, device=torch.device("cuda", rank))
    assert reported == [0]
    other = torch.empty(2, device="cuda")
    operations = [
        dist.P2POp(dist.isend, mine, 1 - rank),
        dist.P2POp(dist.irecv, other, 1 - rank),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    assert other.tolist() == [2.0 - rank] * 2


@case
def ranks_exchange_what_nccl_can():
    in_two_ranks(exchange)


def exchange_brain_floats(rank):
    """bfloat16, which gloo has in newer releases only."""
    mine = torch.full((2,), 1.0 + rank, device="cuda", dtype=torch.bfloat16)
    everywhere = [torch.empty_like(mine) for _ in range(RANKS)]

    def gathered():
        return [one.tolist() for one in everywhere]

    total = mine.clone()
    work = dist.all_reduce(total, async_op=True)
    work.wait()
    assert total.tolist() == [3.0] * 2 and total.dtype == torch.bfloat16
    assert work.get_future().value()[0].dtype == torch.bfloat16
    total = mine.clone()
    dist.reduce(total, 1)
    assert rank == 0 or total.tolist() == [3.0] * 2
    reported = mine.clone()
    dist.broadcast(reported, 1)
    assert reported.tolist() == [2.0] * 2 and reported.is_cuda
    dist.all_gather(everywhere, mine)
    assert gathered() == [[1.0] * 2, [2.0] * 2]
    whole = torch.empty(4, device="cuda", dtype=torch.bfloat16)
    dist.all_gather_into_tensor(whole, mine)
    assert whole.tolist() == [1.0, 1.0, 2.0, 2.0]
    dist.gather(mine, everywhere if rank else None, 1)
    got = torch.empty_like(mine)
    dist.scatter(got, [mine, mine + 1] if rank == 0 else None, 0)
    assert got.tolist() == [1.0 + rank] * 2
    dist.all_to_all_single(got, mine)
    assert got.tolist() == [1.0, 2.0]
    dist.all_to_all_single(got[:1] if rank == 0 else whole[:3], *uneven(mine, rank))
    assert (got[0] if rank == 0 else whole[0]).item() == 1.0
    dist.all_to_all(everywhere, [mine, mine * 2])
    assert gathered() == [[1.0 + rank] * 2, [2.0 + 2 * rank] * 2]
    part = torch.empty(1, device="cuda", dtype=torch.bfloat16)
    dist.reduce_scatter_tensor(part, mine, op=dist.ReduceOp.AVG)
    assert part.item() == 1.5


def uneven(mine, rank):
    """Rank 0 keeps one value; rank 1 gets one from it and two of its own."""
    return (mine, [1, 0], [1, 1]) if rank == 0 else (mine, [1, 2], [0, 2])


@case
def ranks_exchange_brain_floats():
    in_two_ranks(exchange_brain_floats)


def reduce_to_a_rank_of_the_group(rank):
    total = torch.full((2,), 1.0 + rank, device="cuda")
    dist.reduce(total, op=dist.ReduceOp.AVG, group=dist.new_group([0, 1]), group_dst=1)
    assert total.tolist() == ([1.5] * 2 if rank else [1.0] * 2)


@case
def results_arrive_at_a_rank_of_the_group():
    if "group_dst" not in inspect.signature(dist.reduce).parameters:
        raise MissingError("this release's reduce takes no group_dst")
    in_two_ranks(reduce_to_a_rank_of_the_group)


def exchange_without_nccl(rank):
    """A group of gloo has what gloo has, and no more."""
    group = dist.new_group([0, 1], backend="gloo")
    mine = torch.full((2,), 1.0 + rank)
    for collective, *target in ((dist.all_reduce,), (dist.reduce, 0), (dist.broadcast, 0)):
        short, invalid = mine.short(), "Invalid scalar type"
        raises(RuntimeError, invalid, collective, short, *target, group=group)
    dist.all_reduce(mine, group=group)
    assert mine.tolist() == [3.0] * 2
    other = torch.empty(2)
    operations = [
        dist.P2POp(dist.isend, mine + rank, 1 - rank, group),
        dist.P2POp(dist.irecv, other, 1 - rank, group),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    assert other.tolist() == [4.0 - rank] * 2


@case
def groups_of_gloo_are_left_alone():
    in_two_ranks(exchange_without_nccl)


def stay_outside(rank):
    """Torch warns and does nothing where a rank is not in the group."""
    group = dist.new_group([0])
    mine = torch.full((2,), 4.0, device="cuda")
    dist.all_reduce(mine, op=dist.ReduceOp.AVG, group=group)
    assert mine.tolist() == [4.0] * 2


@case
def groups_of_others_do_nothing():
    in_two_ranks(stay_outside)


def train(rank):
    torch.manual_seed(rank)
    module = nn.parallel.DistributedDataParallel(nn.Linear(3, 1).to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        module(torch.randn(4, 3, device=rank)).square().mean().backward()
        optimizer.step()
    weights = [torch.empty_like(module.module.weight) for _ in range(RANKS)]
    dist.all_gather(weights, module.module.weight.detach())
    assert torch.equal(weights[0], weights[1])


@case
def ranks_train_together():
    in_two_ranks(train)


if __name__ == "__main__":
    main()
