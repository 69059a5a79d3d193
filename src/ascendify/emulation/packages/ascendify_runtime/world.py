"""The ranks of the job, and real collectives between them on numpy arrays.

``world()`` is made once a process from the environment. Every collective takes a list of arrays and
a name; calls of the ranks belong together by group, name and how often that name was called, never
by the order in which they arrive, so several threads may be in collectives at once. Sums are made
in the order of the ranks with the arrays' own type: the result is the same to the last bit on every
rank, and what numpy gives for ``a0 + a1 + ...``.

Environment, beside RANK_ID, RANK_SIZE and RANK_TABLE_FILE:

- ``ASCENDIFY_JOB=host:port:token``: where rank 0 listens (see ``comm.address`` without it).
- ``HCCL_CONNECT_TIMEOUT``: seconds to wait for a rank to connect, or to reach a collective while it
  does nothing (120). A rank that computes, say an evaluation, is waited for as long as the device
  would wait: 1836 seconds.
- ``HCCL_EXEC_TIMEOUT``: seconds to wait for a rank to reach a collective, where set; 0: for ever.
- ``ASCENDIFY_MISMATCH_GRACE``: seconds after which ranks that wait in collectives that do not match
  each other are told so (5).
"""

import atexit
import os
import sys
import threading

import numpy as np

from .comm import groups
from .comm.address import job_address
from .comm.calls import Call
from .comm.coordinator import Coordinator
from .comm.errors import CollectiveError
from .comm.identity import identity
from .comm.link import Link
from .comm.matching import Settings
from .comm.packing import Layout, plain
from .comm.reductions import (
    check_reduction,
    gather_slices,
    reduce_own_slice,
    reduced,
    reduced_share,
)
from .comm.segments import Shelf

__all__ = ["WORLD_GROUP", "CollectiveError", "World", "world"]

WORLD_GROUP = groups.WORLD_GROUP
EXECUTION = 1836.0
"""Seconds that a device waits for another in a collective, unless told otherwise."""
PATIENCE = 30.0
"""Seconds that a rank waits at its end for others to read what it shared."""


class World:
    """This process among the ranks of its job."""

    def __init__(self, who, address=None):
        self.rank = who.rank
        self.size = who.size
        self.local_rank = who.local_rank
        self.local_size = who.local_size
        self.devices = who.devices
        self.initialised = False
        self._address = address
        self._process = os.getpid()
        self._groups = {WORLD_GROUP: tuple(range(self.size))}
        self._sequences = {}
        self._lock = threading.Lock()
        self._coordinator = None
        self._link = None
        self.shelf = Shelf()

    def initialise(self):
        """Join the job; connecting goes on in the background. May be called again."""
        self._check_process()
        with self._lock:
            self.initialised = True
            if self.size > 1 and self._link is None:
                self._open()

    def shut_down(self):
        """Forget groups and that HCCL was initialised; the job is left when the process ends."""
        self.initialised = False
        self._groups = {WORLD_GROUP: tuple(range(self.size))}

    def close(self, reason=None):
        """Leave the job for good."""
        if self._process != os.getpid() or self._link is None:
            return
        self._link.close(reason, PATIENCE)
        if self._coordinator is not None:
            self._coordinator.close()
        self.shelf.close()

    def group(self, name=WORLD_GROUP):
        """The ranks of a group, in order."""
        if name not in self._groups:
            raise ValueError("there is no group {!r}; create_group makes one".format(name))
        return self._groups[name]

    def create_group(self, name, ranks):
        """Name a set of ranks; every member must do so, with the same ranks."""
        ranks = tuple(ranks)
        groups.check(name, ranks, self.size, self.devices)
        if name in self._groups:
            raise ValueError("there is already a group {!r}".format(name))
        self._groups[name] = ranks

    def destroy_group(self, name):
        """Forget a group."""
        if name == WORLD_GROUP:
            raise ValueError("the world group cannot be destroyed")
        self.group(name)
        del self._groups[name]

    def allreduce(self, arrays, reduction="sum", name="allreduce", group=WORLD_GROUP):
        """Every rank gets the reduction over all ranks."""
        check_reduction(reduction)
        arrays, layout = _laid_out(arrays)
        spec = _spec(arrays, reduction=reduction)
        with self._call("allreduce", name, group, spec, layout, arrays, steps=True) as call:
            if not call.sharded:
                return layout.unpack(reduced(layout, call.parts, reduction))
            reduce_own_slice(layout, call.parts, call.position, reduction)
            call.step()
            return layout.unpack(gather_slices(layout, call.parts))

    def reduce(self, arrays, reduction="sum", root=0, name="reduce", group=WORLD_GROUP):
        """The root gets the reduction; the others get back what they gave."""
        check_reduction(reduction)
        arrays, layout = _laid_out(arrays)
        target = groups.member(self.group(group), root, "root_rank")
        spec = _spec(arrays, reduction=reduction, root=root)
        with self._call("reduce", name, group, spec, layout, arrays, to=[target]) as call:
            if self.rank != target:
                return [np.array(array) for array in arrays]
            return layout.unpack(reduced(layout, call.parts, reduction))

    def broadcast(self, arrays, root=0, name="broadcast", group=WORLD_GROUP):
        """Every rank gets the arrays of the root."""
        arrays, layout = _laid_out(arrays)
        source = groups.member(self.group(group), root, "root_rank")
        given = arrays if self.rank == source else None
        spec = _spec(arrays, root=root)
        with self._call("broadcast", name, group, spec, layout, given) as call:
            return layout.unpack([np.array(run) for run in layout.flat(call.parts[root])])

    def allgather(self, arrays, name="allgather", group=WORLD_GROUP):
        """Every rank gets the arrays of all ranks, one behind the other along the first axis."""
        arrays, layout = _laid_out(arrays)
        if any(not array.ndim for array in arrays):
            raise ValueError("allgather needs at least one dimension; a scalar has none")
        with self._call("allgather", name, group, _spec(arrays), layout, arrays) as call:
            given = [layout.unpack(layout.flat(part)) for part in call.parts]
            return [np.concatenate(pieces) for pieces in zip(*given)]

    def reduce_scatter(self, arrays, reduction="sum", name="reduce_scatter", group=WORLD_GROUP):
        """Every rank gets its share of the reduction, cut along the first axis."""
        check_reduction(reduction)
        arrays, layout = _laid_out(arrays)
        count = len(self.group(group))
        for array in arrays:
            if not array.ndim or array.shape[0] % count:
                raise ValueError(
                    "reduce_scatter over {0} ranks needs a first dimension that {0} divides; "
                    "the shape is {1}".format(count, list(array.shape))
                )
        spec = _spec(arrays, reduction=reduction)
        with self._call("reduce_scatter", name, group, spec, layout, arrays) as call:
            given = [layout.unpack(layout.flat(part)) for part in call.parts]
            return [reduced_share(pieces, call.position, reduction) for pieces in zip(*given)]

    def all_to_all_v(
        self,
        array,
        send_counts,
        send_displacements,
        recv_counts,
        recv_displacements,
        name="all_to_all_v",
        group=WORLD_GROUP,
    ):
        """Every rank sends a piece of a flat array to every rank; counts are of elements."""
        (array,), layout = _laid_out([np.asarray(array).reshape(-1)])
        count = len(self.group(group))
        sends = groups.pieces("send", send_counts, send_displacements, count, array.size)
        receives = groups.pieces("recv", recv_counts, recv_displacements, count, None)
        result = np.zeros(max(start + size for start, size in receives), array.dtype)
        spec, extra = {"dtype": array.dtype.name}, [sends, receives]
        with self._call("all_to_all_v", name, group, spec, layout, [array], extra=extra) as call:
            groups.check_pieces(call.text, call.extras)
            for source, (start, size) in enumerate(receives):
                if size:
                    offset = call.extras[source][0][call.position][0] * array.itemsize
                    piece = np.frombuffer(call.parts[source], array.dtype, size, offset)
                    result[start : start + size] = piece
        return result

    def all_to_all_v_c(self, array, counts, name="all_to_all_v_c", group=WORLD_GROUP):
        """As all_to_all_v, with one matrix: row i says what rank i sends to each rank."""
        matrix = np.asarray(counts, np.int64)
        members = self.group(group)
        if matrix.shape != (len(members), len(members)):
            raise ValueError(
                "send_count_matrix must be {0} by {0}, it is {1}".format(len(members), matrix.shape)
            )
        position = groups.position(members, self.rank, group)
        send, receive = matrix[position], matrix[:, position]
        starts = [np.cumsum(row) - row for row in (send, receive)]
        return self.all_to_all_v(array, send, starts[0], receive, starts[1], name, group)

    def send(self, arrays, destination, name, group=WORLD_GROUP):
        """Hand arrays to one rank of the group, which must call ``receive`` with this name."""
        arrays, layout = _laid_out(arrays)
        pair = (self.rank, groups.member(self.group(group), destination, "dest_rank"))
        with self._call("send", name, group, _spec(arrays), layout, arrays, pair, to=pair[1:]):
            pass

    def receive(self, shapes_and_dtypes, source, name, group=WORLD_GROUP):
        """Take the arrays that one rank of the group sends under this name."""
        expected = [np.empty(shape, dtype) for shape, dtype in shapes_and_dtypes]
        expected, layout = _laid_out(expected)
        pair = (groups.member(self.group(group), source, "src_rank"), self.rank)
        with self._call("receive", name, group, _spec(expected), layout, None, pair) as call:
            return layout.unpack([np.array(run) for run in layout.flat(call.parts[0])])

    def abandon(self):
        """In a forked child: leave the parent's connections alone."""
        if self._link is not None:
            self._link.abandon()
        if self._coordinator is not None:
            self._coordinator.abandon()

    def _call(self, kind, name, group, spec, layout, arrays, pair=None, **details):
        self.initialise()
        members = self.group(group)
        groups.position(members, self.rank, group)
        if pair is not None:
            if pair[0] == pair[1]:
                raise ValueError("rank {} cannot {} to or from itself".format(self.rank, kind))
            members = pair
            name = "{}, {} to {}".format(name, *pair)
        with self._lock:
            sequence = self._sequences.get((group, name), 0)
            self._sequences[group, name] = sequence + 1
        message = {"kind": kind, "name": name, "group": group, "members": list(members)}
        message.update(sequence=sequence, spec=spec, rank=self.rank)
        return Call(self._link, self.shelf, message, layout, arrays, **details)

    def _open(self):
        address = self._address or job_address(self.size)
        connect = _seconds("HCCL_CONNECT_TIMEOUT", 120.0)
        if self.rank == 0:
            self._coordinator = Coordinator(address, self.size, _settings(connect), connect)
            self._coordinator.start()
        self._link = Link(address, self.rank, self.size, connect)
        self._link.start()

    def _check_process(self):
        if self._process != os.getpid():
            raise CollectiveError(
                "This process was forked from rank {} and is no rank of the job itself. Call "
                "collectives in the process that was started as a rank; start workers before "
                "HCCL is initialised, or with the 'forkserver' method.".format(self.rank)
            )


def _laid_out(arrays):
    arrays = [plain(array) for array in arrays]
    return arrays, Layout(arrays)


def _spec(arrays, **details):
    """What must be the same on every rank."""
    return dict(details, arrays=[[array.dtype.name, list(array.shape)] for array in arrays])


def _seconds(name, default):
    text = os.environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        raise ValueError("{} is {!r}; it must be a number of seconds".format(name, text))


def _settings(connect):
    grace = _seconds("ASCENDIFY_MISMATCH_GRACE", 5.0)
    given = _seconds("HCCL_EXEC_TIMEOUT", None)
    if given is None:
        return Settings(connect, EXECUTION, "HCCL_CONNECT_TIMEOUT", grace)
    return Settings(given or connect, given or None, "HCCL_EXEC_TIMEOUT", grace)


_world = None
_world_lock = threading.Lock()


def world():
    """The world of this process, made from the environment when it is first asked for."""
    global _world
    with _world_lock:
        if _world is None:
            _world = World(identity())
        elif _world._process != os.getpid() and not hasattr(os, "register_at_fork"):
            _world.abandon()
        return _world


def _leave():
    if _world is not None:
        error = getattr(sys, "last_value", None)
        reason = None
        if error is not None:
            reason = "{}: {}".format(type(error).__name__, str(error).split("\n")[0][:200])
        _world.close(reason)


def _after_fork():
    global _world_lock
    _world_lock = threading.Lock()
    if _world is not None:
        _world.abandon()


atexit.register(_leave)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
