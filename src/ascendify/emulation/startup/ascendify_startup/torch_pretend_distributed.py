"""Process groups of an original project: groups of NCCL use gloo and report NCCL as backend."""

import functools
import inspect
import sys

from ascendify_startup import gloo_exit, torch_pretend_collectives
from ascendify_startup.torch_pretend_collectives import NO_BACKEND
from ascendify_startup.torch_pretend_marks import check, mark_new, place_of

_NCCL = "nccl"
_GLOO = "gloo"
_UNNAMED = "undefined"
"""What torch calls the backend of a group without a named one: gloo for the CPU, NCCL for GPUs."""
_REQUESTED = {}
"""Process groups that have NCCL, and the backend that was requested."""
_CHOOSING = ("_get_object_coll_device", "_get_pg_default_device")
"""Functions that return the device on which a group exchanges objects, in some releases."""

_BARRIERS = []
"""Groups whose barrier is running: gloo has one for the CPU only."""


def begin():
    """Replace functions that take or return the name of a backend, or a device."""
    import torch
    from torch import distributed

    if not distributed.is_available():
        return
    from torch.distributed import distributed_c10d

    from ascendify_startup import torch_sync_batch_norm

    _nccl_is_built_in(distributed, distributed_c10d)
    replaced = {"is_nccl_available": lambda: True}
    for name, make in {
        "init_process_group": _init,
        "new_group": _new_group,
        "get_backend": _get_backend,
        "barrier": _barrier,
    }.items():
        replaced[name] = make(distributed_c10d)
    for name in filter(lambda name: hasattr(distributed_c10d, name), _CHOOSING):
        replaced[name] = _of_objects(getattr(distributed_c10d, name))
    replaced.update(
        torch_pretend_collectives.replacements(distributed_c10d, is_nccl, takes_tensors_of_the_cpu)
    )
    for name, function in replaced.items():
        _replace(name, getattr(distributed_c10d, name), function)
    _on_one_device(torch.nn.parallel.DistributedDataParallel)
    _mark_buckets(distributed.GradBucket)
    torch_sync_batch_norm.install()


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
    """Whether a group, by default that of all ranks, has NCCL."""
    return _requested(group) is not None


def takes_tensors_of_the_cpu(group):
    """Whether a group has another backend besides NCCL, for tensors of the CPU."""
    return _requested(group) in (None, _UNNAMED) or "cpu" in _requested(group)


def _requested(group):
    from torch.distributed import distributed_c10d

    return _REQUESTED.get(group or distributed_c10d.GroupMember.WORLD)


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
            _REQUESTED[c10d.GroupMember.WORLD] = (backend or _UNNAMED).lower()

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
            _REQUESTED[group] = (backend or _requested(None)).lower()
        return group

    return new_group


def _get_backend(c10d):
    original = c10d.get_backend

    def get_backend(group=None):
        return _requested(group) or original(group)

    return get_backend


def _of_objects(original):
    """Return the device on which a group exchanges objects; as an object or as its type."""

    def device_of_objects(group=None):
        import torch

        device = original(group)
        if takes_tensors_of_the_cpu(group) or _BARRIERS:
            return device
        return "cuda" if isinstance(device, str) else torch.device("cuda")

    return device_of_objects


def _barrier(c10d):
    original = c10d.barrier

    def barrier(group=None, async_op=False, device_ids=None):
        if not is_nccl(group):
            return original(group or c10d.GroupMember.WORLD, async_op, device_ids)
        if device_ids is not None and not isinstance(device_ids, list):
            raise TypeError("Invalid function argument: device_ids type should be List[int]")
        for index in device_ids or ():
            check(index)
        _BARRIERS.append(group)
        try:
            return original(group or c10d.GroupMember.WORLD, async_op)
        finally:
            _BARRIERS.pop()

    return barrier


def _on_one_device(parallel):
    """Refuse modules on the CPU in groups of NCCL alone."""
    initialise = parallel.__init__

    names = list(inspect.signature(initialise).parameters)[2:]

    def init(self, module, *args, **kwargs):
        given = dict(zip(names, args), **kwargs)
        # torch itself refuses such a module if devices are named
        unnamed = not given.get("device_ids")
        if unnamed and not takes_tensors_of_the_cpu(given.get("process_group")):
            for tensor in module.parameters():
                if place_of(tensor) is None and not hasattr(tensor, "materialize"):
                    raise RuntimeError(NO_BACKEND)
        initialise(self, module, *args, **kwargs)

    parallel.__init__ = init


def _mark_buckets(bucket):
    """Mark the gradients that a communication hook gets, like the parameters they belong to."""
    for name in ("buffer", "gradients"):
        setattr(bucket, name, _like_parameters(getattr(bucket, name)))


def _like_parameters(original):
    def gradients(self):
        place = place_of(self.parameters()[0])
        return mark_new(original(self), place) if isinstance(place, int) else original(self)

    return gradients
