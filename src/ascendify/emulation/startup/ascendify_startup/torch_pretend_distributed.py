"""Process groups of an original project: groups of NCCL use gloo and report NCCL as backend."""

import functools
import inspect
import sys

from ascendify_startup import gloo_exit, torch_pretend_batch_norm, torch_pretend_collectives

_NCCL = "nccl"
_GLOO = "gloo"
_REQUESTED = {}
"""Process groups that were requested with NCCL."""


def begin():
    """Replace functions that take or return the name of a backend, or a device."""
    import torch
    from torch import distributed

    if not distributed.is_available():
        return
    from torch.distributed import distributed_c10d

    _nccl_is_built_in(distributed, distributed_c10d)
    replaced = {"is_nccl_available": lambda: True}
    for name, make in {
        "init_process_group": _init,
        "new_group": _new_group,
        "get_backend": _get_backend,
        "barrier": _barrier,
    }.items():
        replaced[name] = make(distributed_c10d)
    replaced.update(torch_pretend_collectives.replacements(distributed_c10d, is_nccl))
    for name, function in replaced.items():
        _replace(name, getattr(distributed_c10d, name), function)
    _on_no_device(torch.nn.parallel.DistributedDataParallel)
    torch_pretend_batch_norm.begin()


def _replace(name, original, function):
    """Replace a function in every module of torch that has imported it."""
    functools.update_wrapper(function, original)
    for module in list(sys.modules.values()):
        owner = getattr(module, "__name__", None)
        if not isinstance(owner, str) or not owner.startswith("torch.distributed"):
            continue
        if vars(module).get(name) is original:
            setattr(module, name, function)


def _nccl_is_built_in(distributed, c10d):
    # groups without a named backend would request NCCL
    devices = getattr(c10d.Backend, "default_device_backend_map", {})
    if devices.get("cuda") == _NCCL:
        devices["cuda"] = _GLOO
    if not hasattr(c10d, "ProcessGroupNCCL"):
        c10d.ProcessGroupNCCL = distributed.ProcessGroupNCCL = ProcessGroupNCCL


class ProcessGroupNCCL(object):
    """The class whose ``Options`` programs use, for builds without it."""

    class Options(object):
        """Options of a group, stored without effect."""

        def __init__(self, is_high_priority_stream=False, **kwargs):
            self.is_high_priority_stream = is_high_priority_stream
            self.config = type("NCCLConfig", (), {})()


def is_nccl(group):
    """Whether a group, by default that of all ranks, was requested with NCCL."""
    from torch.distributed import distributed_c10d

    return (group or distributed_c10d.GroupMember.WORLD) in _REQUESTED


def _names_nccl(backend):
    return isinstance(backend, str) and _NCCL in backend.lower()


def _bound(function, args, kwargs):
    """Return the arguments of a call by name, without those that only NCCL accepts."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    given.pop("device_id", None)
    if _names_nccl(given.get("backend")):
        given.pop("pg_options", None)
    return given


def _init(c10d):
    original = c10d.init_process_group

    def init_process_group(*args, **kwargs):
        given = _bound(original, args, kwargs)
        backend = given.get("backend")
        as_nccl = backend is None or _names_nccl(backend)
        if as_nccl:
            given["backend"] = _GLOO
        original(**given)
        gloo_exit.keep(c10d.GroupMember.WORLD)
        if as_nccl:
            _REQUESTED[c10d.GroupMember.WORLD] = _NCCL

    return init_process_group


def _new_group(c10d):
    original = c10d.new_group

    def new_group(*args, **kwargs):
        given = _bound(original, args, kwargs)
        backend = given.get("backend")
        as_nccl = _names_nccl(backend) or (backend is None and is_nccl(None))
        if as_nccl:
            given["backend"] = _GLOO
        group = original(**given)
        gloo_exit.keep(group)
        if as_nccl and group != c10d.GroupMember.NON_GROUP_MEMBER:
            _REQUESTED[group] = _NCCL
        return group

    return new_group


def _get_backend(c10d):
    original = c10d.get_backend

    def get_backend(group=None):
        return _REQUESTED.get(group or c10d.GroupMember.WORLD) or original(group)

    return get_backend


def _barrier(c10d):
    original = c10d.barrier

    def barrier(group=None, async_op=False, device_ids=None):
        return original(group or c10d.GroupMember.WORLD, async_op)

    return barrier


def _on_no_device(parallel):
    """Drop ``device_ids`` of DistributedDataParallel: CPU tensors allow none."""
    initialise = parallel.__init__

    def init(self, module, device_ids=None, output_device=None, *args, **kwargs):
        initialise(self, module, None, None, *args, **kwargs)

    parallel.__init__ = init
