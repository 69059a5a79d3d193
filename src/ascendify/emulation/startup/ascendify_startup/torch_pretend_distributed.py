"""Process groups of an original: NCCL's are gloo's, and answer to NCCL's name."""

from ascendify_startup import gloo, torch_pretend_batch_norm

_NCCL = "nccl"
_GLOO = "gloo"
_ASKED = {}
"""Process groups that were asked for as NCCL's."""


def begin():
    """Replace what takes or tells the name of a backend, or a device."""
    import torch
    from torch import distributed

    if not distributed.is_available():
        return
    from torch.distributed import distributed_c10d

    replaced = {
        "init_process_group": _init(distributed_c10d),
        "new_group": _new_group(distributed_c10d),
        "get_backend": _get_backend(distributed_c10d),
        "is_nccl_available": lambda: True,
        "barrier": _barrier(distributed_c10d),
        "all_reduce": _all_reduce(distributed_c10d),
    }
    for name, function in replaced.items():
        for module in (distributed, distributed_c10d):
            setattr(module, name, function)
    _on_no_device(torch.nn.parallel.DistributedDataParallel)
    torch_pretend_batch_norm.begin()


def _is_nccl(backend):
    return isinstance(backend, str) and _NCCL in backend.lower()


def _init(c10d):
    original = c10d.init_process_group

    def init_process_group(backend=None, *args, **kwargs):
        kwargs.pop("device_id", None)
        if _is_nccl(backend):
            kwargs.pop("pg_options", None)
        original(_GLOO if backend is None or _is_nccl(backend) else backend, *args, **kwargs)
        gloo.keep(c10d.GroupMember.WORLD)
        if backend is None or _is_nccl(backend):
            _ASKED[c10d.GroupMember.WORLD] = _NCCL

    return init_process_group


def _new_group(c10d):
    original = c10d.new_group

    def new_group(ranks=None, timeout=None, backend=None, *args, **kwargs):
        kwargs.pop("device_id", None)
        if _is_nccl(backend):
            kwargs.pop("pg_options", None)
        group = original(ranks, timeout, _GLOO if _is_nccl(backend) else backend, *args, **kwargs)
        gloo.keep(group)
        if _is_nccl(backend) or (backend is None and c10d.GroupMember.WORLD in _ASKED):
            _ASKED[group] = _NCCL
        return group

    return new_group


def _get_backend(c10d):
    original = c10d.get_backend

    def get_backend(group=None):
        return _ASKED.get(group or c10d.GroupMember.WORLD) or original(group)

    return get_backend


def _barrier(c10d):
    original = c10d.barrier

    def barrier(group=None, async_op=False, device_ids=None):
        return original(group or c10d.GroupMember.WORLD, async_op)

    return barrier


def _all_reduce(c10d):
    """Gloo has no mean: it is the sum, divided."""
    original = c10d.all_reduce

    def all_reduce(tensor, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        if op != c10d.ReduceOp.AVG:
            return original(tensor, op, group, async_op)
        work = original(tensor, c10d.ReduceOp.SUM, group, False)
        tensor.div_(c10d.get_world_size(group))
        return _Done() if async_op else work

    return all_reduce


class _Done(object):
    """Work that has been done."""

    def wait(self, timeout=None):
        """Nothing is left to wait for."""
        return True

    def is_completed(self):
        """Whether it is done."""
        return True


def _on_no_device(parallel):
    """The tensors are on the CPU, where no device can be named."""
    initialise = parallel.__init__

    def init(self, module, device_ids=None, output_device=None, *args, **kwargs):
        initialise(self, module, None, None, *args, **kwargs)

    parallel.__init__ = init
