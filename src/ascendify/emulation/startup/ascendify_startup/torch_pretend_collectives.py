"""Collectives that NCCL has and gloo has not, or not in every release, by those that it has."""


def replaced(c10d, is_nccl):
    """The functions of ``torch.distributed`` to replace, by name.

    Args:
        c10d: The module that has them.
        is_nccl: Whether the program believes a group to be NCCL's; others are left alone.
    """
    gather = c10d.all_gather
    found = {"all_reduce": _all_reduce(c10d), "reduce": _reduce(c10d)}
    reduce_all = found["all_reduce"]

    def reduce_scatter(output, input_list, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        sums = [one.clone() for one in input_list]
        for one in sums:
            reduce_all(one, op, group)
        output.copy_(sums[c10d.get_rank(group)])
        return _Done() if async_op else None

    def reduce_scatter_tensor(output, input, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        total = input.clone()
        reduce_all(total, op, group)
        parts = total.flatten().chunk(c10d.get_world_size(group))
        output.copy_(parts[c10d.get_rank(group)].view_as(output))
        return _Done() if async_op else None

    def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
        import torch

        source = input_tensor.contiguous()
        parts = [torch.empty_like(source) for _ in range(c10d.get_world_size(group))]
        gather(parts, source, group)
        output_tensor.copy_(torch.cat([one.flatten() for one in parts]).view_as(output_tensor))
        return _Done() if async_op else None

    def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
        everything = [None] * c10d.get_world_size(group)
        c10d.all_gather_object(everything, [one.cpu() for one in input_tensor_list], group)
        for output, sent in zip(output_tensor_list, everything):
            output.copy_(sent[c10d.get_rank(group)])
        return _Done() if async_op else None

    def batch_isend_irecv(p2p_op_list):
        """One after the other: gloo puts no messages together."""
        return [one.op(one.tensor, one.peer, one.group, one.tag) for one in p2p_op_list]

    found["batch_isend_irecv"] = batch_isend_irecv
    for names, function in (
        (("reduce_scatter",), reduce_scatter),
        (
            ("reduce_scatter_tensor", "_reduce_scatter_base", "reduce_scatter_single"),
            reduce_scatter_tensor,
        ),
        (
            ("all_gather_into_tensor", "_all_gather_base", "all_gather_single"),
            all_gather_into_tensor,
        ),
        (("all_to_all",), all_to_all),
    ):
        for name in names:
            if hasattr(c10d, name):
                place = function.__code__.co_varnames.index("group")
                found[name] = _of_nccl(function, getattr(c10d, name), place, is_nccl)
    return found


def _of_nccl(function, original, place, is_nccl):
    """Call the function for groups of NCCL, the original for others."""

    def collective(*args, **kwargs):
        group = args[place] if len(args) > place else kwargs.get("group")
        return (function if is_nccl(group) else original)(*args, **kwargs)

    return collective


def _all_reduce(c10d):
    """Gloo has no mean: it is the sum, divided. Some releases of it do not know bfloat16."""
    import torch

    original = c10d.all_reduce

    def all_reduce(tensor, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        mean = op == c10d.ReduceOp.AVG
        if not mean and tensor.dtype is not torch.bfloat16:
            return original(tensor, op, group, async_op)
        total = tensor.float() if tensor.dtype is torch.bfloat16 else tensor
        original(total, c10d.ReduceOp.SUM if mean else op, group, False)
        if mean:
            total.div_(c10d.get_world_size(group))
        if total is not tensor:
            tensor.copy_(total)
        return _Done() if async_op else None

    return all_reduce


def _reduce(c10d):
    """Gloo has no mean: it is the sum, divided where it arrives."""
    original = c10d.reduce

    def reduce(tensor, dst=None, op=c10d.ReduceOp.SUM, group=None, async_op=False, **kwargs):
        if op != c10d.ReduceOp.AVG:
            return original(tensor, dst, op, group, async_op, **kwargs)
        original(tensor, dst, c10d.ReduceOp.SUM, group, False, **kwargs)
        if c10d.get_rank() == dst:
            tensor.div_(c10d.get_world_size(group))
        return _Done() if async_op else None

    return reduce


class _Done(object):
    """Work that has been done."""

    def wait(self, timeout=None):
        """Wait for nothing."""
        return True

    def is_completed(self):
        """Whether it is done."""
        return True

    def is_success(self):
        """Whether it went well."""
        return True
