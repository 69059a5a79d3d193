"""Groups of hccl and lccl: make them, and list the existing ones.

The class of a group depends on the release of torch (`backend`, `older_backend`); all have the
attributes of `HcclGroup`.
"""

import datetime

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from ascendify_startup import gloo_exit

from . import rank_errors
from .options import Options

_alive = {}
"""{torch's name of a group: the group}"""


class HcclGroup:
    """Name, options and ranks of a group."""

    Options = Options
    backend_name = "hccl"

    def meet(self, store, rank, size, options):
        """Read the ranks from the options, and wait until all of them have joined."""
        self._options = _as_options(options)
        self.timeout = self._options._timeout
        self.global_ranks = list(self._options.global_ranks_in_group) or list(range(size))
        self.peers = rank_errors.meet(
            store, rank, size, self.timeout, self.global_ranks, _processes()
        )

    def name(self):
        return self.backend_name

    _get_backend_name = name

    @property
    def options(self):
        return self._options


def lccl_of(hccl):
    """Return ProcessGroupLCCL: the library for small messages in one server, same collectives."""
    return type("ProcessGroupLCCL", (hccl,), {"backend_name": "lccl", "__doc__": lccl_of.__doc__})


def register(*kinds):
    """Register group classes with torch; hccl is the default backend of the NPU."""
    for kind in kinds:
        dist.Backend.register_backend(
            kind.backend_name, _create(kind), extended_api=True, devices=["npu"]
        )
    # in torch before 2.7 the last registered one is the default
    dist.Backend.default_device_backend_map["npu"] = "hccl"


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
        gloo_exit.keep(made)
        return made

    return create


def _as_options(given):
    """Return the options of a group; a script may also pass a timeout, or nothing."""
    options = given if isinstance(given, Options) else Options()
    if isinstance(given, datetime.timedelta):
        options._timeout = given
    return options


def _processes():
    """Return {global rank: (host, process id)} of all known ranks."""
    return {
        group.global_ranks[rank]: process
        for group in _alive.values()
        for rank, process in group.peers.items()
    }


def backend_of(group):
    """Return the hccl backend of a process group, or None if it has none."""
    return _alive.get(group.group_name)


def forget_destroyed():
    """Remove groups that torch has destroyed."""
    known = set(c10d._world.pg_names.values())
    for name in [name for name in _alive if name not in known]:
        del _alive[name]
