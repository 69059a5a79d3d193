"""Implement collectives of NCCL that gloo lacks, in some releases or for some types."""

import functools
import inspect

from ascendify_startup.torch_pretend_marks import Places

NO_BACKEND = "No backend type associated with device type cpu"
"""PyTorch's message for a tensor that no backend of a group takes."""
_MESSAGES = ("send", "recv", "isend", "irecv")
_MOVING = ("broadcast", "all_gather", "gather", "scatter", "all_to_all_single")
"""Collectives that gloo supports for fewer types than NCCL."""


def replacements(c10d, is_nccl, takes_tensors_of_the_cpu):
    """Return the functions of ``torch.distributed`` to replace, by name.

    Args:
        c10d: The module that has them.
        is_nccl: Returns whether a group has NCCL; other groups are not changed.
        takes_tensors_of_the_cpu: Returns whether a group also has another backend.
    """
    import torch

    def runs_nccl(group, args, kwargs):
        """Whether NCCL runs a collective; refuse tensors on the CPU if there is only NCCL."""
        if not is_nccl(group):
            return False
        places = Places().see(args).see(kwargs.values())
        if not places.on_cpu:
            return True
        if not takes_tensors_of_the_cpu(group):
            if places.gpu is not None:
                raise ValueError("Tensors must be CUDA and dense")
            raise RuntimeError(NO_BACKEND)
        return places.gpu is not None

    functions = {name: _carrying(getattr(c10d, name)) for name in _MOVING}
    functions.update(all_reduce=_all_reduce(c10d), reduce=_reduce(c10d))
    functions.update(_made_of_others(c10d))
    found = {
        name: _of_nccl(torch.no_grad()(function), getattr(c10d, name), runs_nccl)
        for name, function in functions.items()
        if hasattr(c10d, name)
    }
    for name in _MESSAGES:
        found[name] = _of_nccl(getattr(c10d, name), getattr(c10d, name), runs_nccl)
    found["batch_isend_irecv"] = _batch_isend_irecv(c10d, is_nccl)
    return found


def _of_nccl(function, original, runs_nccl):
    """Call the function where NCCL runs a collective, the original otherwise."""
    place = list(inspect.signature(original).parameters).index("group")

    def collective(*args, **kwargs):
        group = args[place] if len(args) > place else kwargs.get("group")
        return (function if runs_nccl(group, args, kwargs) else original)(*args, **kwargs)

    return collective


def _batch_isend_irecv(c10d, is_nccl):
    original = c10d.batch_isend_irecv

    def batch_isend_irecv(p2p_op_list):
        """Start the messages one after the other: gloo does not batch them."""
        if not p2p_op_list or not is_nccl(p2p_op_list[0].group):
            return original(p2p_op_list)
        return [one.op(one.tensor, one.peer, one.group, one.tag) for one in p2p_op_list]

    return batch_isend_irecv


def _carrying(original):
    """Wrap a collective to pass tensors as types that gloo can send."""
    from ascendify_startup.torch_gloo import as_carried

    @functools.wraps(original)
    def collective(*args, **kwargs):
        named = {name: as_carried(value) for name, value in kwargs.items()}
        return original(*[as_carried(value) for value in args], **named)

    return collective


def _all_reduce(c10d):
    """Return an all_reduce with the mean, as sum and division, and with wider types for sums."""
    from ascendify_startup.torch_gloo import WIDER, finished_work, widen

    original = c10d.all_reduce

    def all_reduce(tensor, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        mean = op == c10d.ReduceOp.AVG
        if not mean and tensor.dtype not in WIDER:
            return original(tensor, op, group, async_op)
        total = widen(tensor)
        original(total, c10d.ReduceOp.SUM if mean else op, group, False)
        _take_over(tensor, total, c10d.get_world_size(group) if mean else 1)
        return finished_work([tensor]) if async_op else None

    return all_reduce


def _reduce(c10d):
    """The same as ``_all_reduce`` on the target rank; the other ranks keep their tensors."""
    from ascendify_startup.torch_gloo import WIDER, finished_work, widen

    original = c10d.reduce

    def reduce(tensor, dst=None, op=c10d.ReduceOp.SUM, group=None, async_op=False, **kwargs):
        mean = op == c10d.ReduceOp.AVG
        if not mean and tensor.dtype not in WIDER:
            return original(tensor, dst, op, group, async_op, **kwargs)
        total = widen(tensor.clone())
        original(total, dst, c10d.ReduceOp.SUM if mean else op, group, False, **kwargs)
        if _is_target(c10d, group, dst, **kwargs):
            _take_over(tensor, total, c10d.get_world_size(group) if mean else 1)
        return finished_work([tensor]) if async_op else None

    return reduce


def _is_target(c10d, group, dst, group_dst=None):
    """Whether this rank gets the result; newer releases also accept the rank in the group."""
    return c10d.get_rank() == dst if group_dst is None else c10d.get_rank(group) == group_dst


def _take_over(tensor, total, divisor):
    if divisor != 1:
        total.div_(divisor)
    if total is not tensor:
        tensor.copy_(total)


def _made_of_others(c10d):
    """Return the collectives that gloo lacks in some releases, under all their names."""
    from ascendify_startup import torch_gloo

    carried, finished_work = torch_gloo.as_carried, torch_gloo.finished_work

    def scattered(scatter, output, given, op, group, async_op):
        group = group or c10d.GroupMember.WORLD
        mean = op == c10d.ReduceOp.AVG
        given = torch_gloo.widen(given)
        scatter(group, output, given, c10d.ReduceOp.SUM if mean else op)
        _take_over(output, output, group.size() if mean else 1)
        return finished_work([output]) if async_op else None

    def reduce_scatter(output, input_list, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        return scattered(torch_gloo.reduce_scatter, output, input_list, op, group, async_op)

    def reduce_scatter_tensor(output, input, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        return scattered(torch_gloo.reduce_scatter_tensor, output, input, op, group, async_op)

    def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
        group = group or c10d.GroupMember.WORLD
        torch_gloo.all_gather_into_tensor(group, carried(output_tensor), carried(input_tensor))
        return finished_work([output_tensor]) if async_op else None

    def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
        outputs, inputs = carried(output_tensor_list), carried(input_tensor_list)
        torch_gloo.all_to_all(group or c10d.GroupMember.WORLD, outputs, inputs)
        return finished_work(list(output_tensor_list)) if async_op else None

    return {
        "reduce_scatter": reduce_scatter,
        "reduce_scatter_tensor": reduce_scatter_tensor,
        "_reduce_scatter_base": reduce_scatter_tensor,
        "reduce_scatter_single": reduce_scatter_tensor,
        "all_gather_into_tensor": all_gather_into_tensor,
        "_all_gather_base": all_gather_into_tensor,
        "all_gather_single": all_gather_into_tensor,
        "all_to_all": all_to_all,
    }
