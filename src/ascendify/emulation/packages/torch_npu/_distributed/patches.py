"""Replace the functions of torch.distributed that torch_npu replaces, and add advice to errors."""

import functools
import warnings

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from . import backend, rank_errors
from .coalescing import JoinedWork
from .collectives import reducing_with
from .groups import backend_of, forget_destroyed

_COLLECTIVES = (
    "allreduce allreduce_coalesced broadcast reduce allgather _allgather_base allgather_coalesced "
    "allgather_into_tensor_coalesced reduce_scatter _reduce_scatter_base "
    "reduce_scatter_tensor_coalesced gather scatter alltoall alltoall_base send recv barrier "
    "all_gather_single all_gather_single_coalesced all_to_all_single reduce_scatter_single "
    "reduce_scatter_single_coalesced"
).split()


def batch_isend_irecv(p2p_op_list):
    """Start all transfers and return one work object for them, as HCCL's batch does."""
    c10d._check_p2p_op_list(p2p_op_list)
    if p2p_op_list[0].tensor.device.type != "npu":
        return _stock_batch_isend_irecv(p2p_op_list)
    for operation in p2p_op_list:
        if operation.tensor.device.type != "npu":
            raise RuntimeError(
                "No backend type associated with device type %s" % operation.tensor.device.type
            )
    return [JoinedWork([_started(operation) for operation in p2p_op_list])]


def _started(operation):
    named = {"group": operation.group, "tag": operation.tag}
    if not hasattr(operation, "group_peer"):  # torch before 2.7
        return operation.op(operation.tensor, operation.peer, **named)
    peer = {"group_dst" if operation.op is dist.isend else "group_src": operation.group_peer}
    return operation.op(operation.tensor, **named, **peer)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """dist.gather; HCCL gathers to all ranks, and warns about it on the target rank."""
    target = 0 if dst is None and group_dst is None else dst
    if group_dst is not None:
        target = c10d.get_global_rank(group or c10d._get_default_group(), group_dst)
    if tensor.device.type == "npu" and dist.get_rank() == target and not _compatible():
        warnings.warn(
            "HCCL doesn't support gather at the moment. Implemented with allgather instead.",
            stacklevel=2,
        )
    return _stock_gather(tensor, gather_list, target, group, async_op)


def _compatible():
    return getattr(torch.npu, "are_compatible_impl_enabled", lambda: False)()


def destroy_process_group(group=None):
    """dist.destroy_process_group, which also removes the internal gloo groups."""
    _stock_destroy(group)
    forget_destroyed()


def _new_process_group_helper(*arguments, **named):
    """Make a group; hccl is its default backend, also with gloo or without a named backend."""
    group, store = _stock_new_group(*arguments, **named)
    is_ours = isinstance(group, dist.ProcessGroup) and backend_of(group) is not None
    if is_ours and hasattr(group, "_set_default_backend"):
        group._set_default_backend(dist.ProcessGroup.BackendType.CUSTOM)
    return group, store


def _with_remedy(name):
    stock = getattr(dist.ProcessGroup, name)

    @functools.wraps(stock)
    def collective(self, *arguments, **named):
        options = named.get("opts", arguments[-1] if arguments else None)
        try:
            with reducing_with(getattr(options, "reduceOp", None)):
                return stock(self, *arguments, **named)
        except RuntimeError as error:
            text = str(error)
            only = backend.only_backend_name(self)
            if only is None or not text.startswith(rank_errors.NO_BACKEND):
                raise
            raise rank_errors.left_on_cpu(name, only) from error

    return collective


def _wait_with_reasons():
    stock = dist.Work.wait

    @functools.wraps(stock)
    def wait(self, *arguments, **named):
        try:
            result = stock(self, *arguments, **named)
            _raise_what_the_future_holds(self)
        except RuntimeError as error:
            text = str(error)
            ours = _only_group()
            message = rank_errors.explain(ours, "send or receive", text)
            if message == text:
                raise
            raise dist.DistBackendError(message) from error
        return result

    dist.Work.wait = wait


def _raise_what_the_future_holds(work):
    """Raise the error of a future: work made from a future ignores it in wait()."""
    try:
        future = work.get_future()
    except RuntimeError:
        return  # work of a send or receive has no future and raises its errors
    future.value()


def _only_group():
    """Return the default group, which has every rank: a work object does not know its group."""
    default = c10d.GroupMember.WORLD
    return backend_of(default) if default is not None else None


def install():
    """Install the replacements for scripts and for torch itself."""
    global _stock_batch_isend_irecv, _stock_gather, _stock_destroy, _stock_new_group
    _stock_batch_isend_irecv, _stock_gather = c10d.batch_isend_irecv, c10d.gather
    _stock_destroy, _stock_new_group = c10d.destroy_process_group, c10d._new_process_group_helper
    c10d._new_process_group_helper = _new_process_group_helper
    replacements = {
        "batch_isend_irecv": batch_isend_irecv,
        "gather": gather,
        "destroy_process_group": destroy_process_group,
    }
    for name, function in replacements.items():
        setattr(dist, name, function)
        setattr(c10d, name, function)
    for name in filter(functools.partial(hasattr, dist.ProcessGroup), _COLLECTIVES):
        setattr(dist.ProcessGroup, name, _with_remedy(name))
    _wait_with_reasons()
