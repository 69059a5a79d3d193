"""ProcessGroupHCCL: the backend of a process group, implemented with gloo.

A group made with backend "hccl" supports only device type npu, as on a real machine; tensors of
the CPU need "cpu:gloo,npu:hccl". The collectives run in a second, internal ProcessGroup for the CPU
with the same gloo connections (see collectives.py).
"""

import torch
import torch.distributed as dist

from . import groups

CPU = torch.device("cpu")


def _group_of_gloo(store, rank, size):
    if not hasattr(dist.ProcessGroup, "_set_default_backend"):  # torch before 2.6
        return dist.ProcessGroup(store, rank, size, dist.ProcessGroup.Options("gloo"))
    group = dist.ProcessGroup(store, rank, size)
    group._set_default_backend(dist.ProcessGroup.BackendType.GLOO)
    return group


class ProcessGroupHCCL(groups.HcclGroup, dist.ProcessGroupGloo):
    """The class torch_npu._C._distributed_c10d.ProcessGroupHCCL."""

    supports_coalescing = True

    def __init__(self, store, rank, size, options=None):
        self.meet(store, rank, size, options)
        super().__init__(store, rank, size, timeout=self.timeout)
        self.inner = _group_of_gloo(store, rank, size)
        self.inner._register_backend(CPU, dist.ProcessGroup.BackendType.GLOO, self)
        self.inner._set_group_name("%s of %s" % (self.backend_name, self._options.group_id))

    def get_hccl_comm(self, rank=0):
        raise NotImplementedError(
            "ProcessGroupHCCL.get_hccl_comm: the handle of a communicator exists only on a real "
            "NPU; the emulation has none."
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


ProcessGroupLCCL = groups.lccl_of(ProcessGroupHCCL)


def only_backend_name(group):
    """Return "hccl" or "lccl" for a group that supports only the NPU, otherwise None."""
    backend = groups.backend_of(group)
    if backend is None or CPU in group._device_types:
        return None
    return backend.backend_name


def install():
    """Register hccl and lccl with torch."""
    groups.register(ProcessGroupHCCL, ProcessGroupLCCL)
