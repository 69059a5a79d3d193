"""ProcessGroupHCCL: the backend of a process group, with gloo underneath; those alive.

A group made with backend "hccl" serves device type npu only, as on the real machine; tensors of
the CPU need "cpu:gloo,npu:hccl". The collectives run in a second, hidden ProcessGroup that serves
the CPU with the same gloo connections (see collectives.py).
"""

import datetime

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from . import failures
from .keeping import keep_for_ever
from .options import DEFAULT_TIMEOUT, Options

NPU = torch.device("npu")
CPU = torch.device("cpu")


def _group_of_gloo(store, rank, size):
    if not hasattr(dist.ProcessGroup, "_set_default_backend"):  # torch before 2.6
        return dist.ProcessGroup(store, rank, size, dist.ProcessGroup.Options("gloo"))
    group = dist.ProcessGroup(store, rank, size)
    group._set_default_backend(dist.ProcessGroup.BackendType.GLOO)
    return group


class ProcessGroupHCCL(dist.ProcessGroupGloo):
    """The backend object that torch_npu._C._distributed_c10d.ProcessGroupHCCL is."""

    Options = Options
    backend_name = "hccl"

    def __init__(self, store, rank, size, options=None):
        timeout = DEFAULT_TIMEOUT
        if isinstance(options, datetime.timedelta):
            timeout, options = options, None
        self._options = options or Options()
        timeout = self._options._timeout if options else timeout
        self._options._timeout = timeout
        self.global_ranks = list(self._options.global_ranks_in_group) or list(range(size))
        self.timeout = timeout
        self.peers = failures.meet(store, rank, size, timeout, self.global_ranks, _processes())
        super().__init__(store, rank, size, timeout=timeout)
        self.inner = _group_of_gloo(store, rank, size)
        self.inner._register_backend(CPU, dist.ProcessGroup.BackendType.GLOO, self)
        self.inner._set_group_name("%s of %s" % (self.backend_name, self._options.group_id))

    def name(self):
        return self.backend_name

    _get_backend_name = name
    supports_coalescing = True

    @property
    def options(self):
        return self._options

    def get_hccl_comm(self, rank=0):
        raise NotImplementedError(
            "ProcessGroupHCCL.get_hccl_comm: the handle of a communicator exists on a real NPU "
            "only; the emulation has none to give."
        )

    def get_hccl_comm_name(self, rank, init_comm=True):
        return "%s_world_%d" % (self._options.group_id or "group", self.size())

    def _set_hccl_comm_name(self, name):
        self._options.hccl_config["hccl_comm_name"] = name

    def _set_default_timeout(self, timeout):
        self.timeout = self._options._timeout = timeout
        if hasattr(self.inner, "set_timeout"):
            self.inner.set_timeout(timeout)

    def batch_isend_irecv(self, op_type, tensors, remote_rank_list):
        from .coalescing import JoinedWork
        from .collectives import point_to_point

        works = [
            point_to_point(self, kind, tensor, peer, 0)
            for kind, tensor, peer in zip(op_type, tensors, remote_rank_list)
        ]
        return JoinedWork(works)


class ProcessGroupLCCL(ProcessGroupHCCL):
    """lccl, the library for small messages of one server: same collectives here."""

    backend_name = "lccl"


_alive = {}


def _processes():
    """{global rank: (host, process id)} of the ranks met so far."""
    return {
        backend.global_ranks[rank]: process
        for backend in _alive.values()
        for rank, process in backend.peers.items()
    }


def backend_of(group):
    """The hccl backend of a process group, or None where the group has none."""
    return _alive.get(group.group_name)


def only_backend_name(group):
    """ "hccl" or "lccl" for a group that serves nothing but the NPU, otherwise None."""
    backend = backend_of(group)
    if backend is None or CPU in group._device_types:
        return None
    return backend.backend_name


def _create(kind):
    def create(backend_options, group_options):
        options = group_options if isinstance(group_options, Options) else Options()
        options.is_high_priority_stream = False
        options._timeout = backend_options.timeout
        options.global_ranks_in_group = list(backend_options.global_ranks_in_group)
        options.group_id = backend_options.group_id
        made = kind(
            backend_options.store, backend_options.group_rank, backend_options.group_size, options
        )
        _alive[backend_options.group_id] = made
        keep_for_ever(made)
        return made

    return create


def forget_destroyed():
    """Forget the groups that torch no longer knows."""
    known = set(c10d._world.pg_names.values())
    for name in [name for name in _alive if name not in known]:
        del _alive[name]


def install():
    """Register hccl before lccl: the first one becomes the default of the device."""
    dist.Backend.register_backend(
        "hccl", _create(ProcessGroupHCCL), extended_api=True, devices=["npu"]
    )
    dist.Backend.register_backend(
        "lccl", _create(ProcessGroupLCCL), extended_api=True, devices=["npu"]
    )
    # torch before 2.7 lets the last one be it
    dist.Backend.default_device_backend_map["npu"] = "hccl"
