"""The ranks of the job, and real collectives between them on numpy arrays.

``world()`` makes one object per process, from the environment. Every collective takes a list of
arrays and a name. Calls of the ranks are matched by group, name and how often that name was called,
never by the order of arrival, so several threads may call collectives at once. Sums are computed in
the order of the ranks with the arrays' own type: the result is the same to the last bit on every
rank, and equals numpy's ``a0 + a1 + ...``.

Environment variables, in addition to RANK_ID, RANK_SIZE and RANK_TABLE_FILE:

- ``ASCENDIFY_JOB=host:port:token``: the address of rank 0 (without it, see ``comm.address``).
- ``HCCL_CONNECT_TIMEOUT``: seconds to wait for a rank to connect, or for an idle rank to reach a
  collective (120). For a rank that computes, such as an evaluation, the limit is the device's 1836
  seconds.
- ``HCCL_EXEC_TIMEOUT``: seconds to wait for a rank to reach a collective, if set; 0: for ever.
- ``ASCENDIFY_MISMATCH_GRACE``: seconds after which a deadlock of collectives that do not match is
  reported (5).
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
from .comm.matching import Timeouts
from .comm.packing import Layout, plain
from .comm.reductions import (
    check_reduction,
    gather_slices,
    reduce_own_slice,
    reduce_runs,
    reduce_share,
)
from .comm.segments import SegmentPool

__all__ = ["WORLD_GROUP", "CollectiveError", "World", "world"]

WORLD_GROUP = groups.WORLD_GROUP
EXECUTION = 1836.0
"""Seconds that a device waits for another in a collective, by default."""
_WAITING_ROOTS = 2
"""Broadcasts in which a root waits for the others; further ones at the same time do not."""
CLOSE_TIMEOUT = 30.0
"""Seconds that a rank waits before it exits, so that others can read its shared memory."""


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
        self.segments = SegmentPool()
        self._waiting_roots = 0
        self._senders = []
        self._send_failure = None

    def initialise(self):
        """Join the job; the connection is made in the background. May be called again."""
        self._check_process()
        with self._lock:
            self.initialised = True
            if self.size > 1 and self._link is None:
                self._open()

    def shut_down(self):
        """Forget the groups and the initialisation; the process leaves the job when it exits."""
        self.initialised = False
        self._groups = {WORLD_GROUP: tuple(range(self.size))}

    def close(self, reason=None):
        """Leave the job for good."""
        if self._process != os.getpid() or self._link is None:
            return
        for sender in self._senders:
            sender.join(CLOSE_TIMEOUT)
        self._link.close(reason, CLOSE_TIMEOUT)
        if self._coordinator is not None:
            self._coordinator.close()
        self.segments.close()

    def group(self, name=WORLD_GROUP):
        """Return the ranks of a group, in order."""
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
        """Reduce over all ranks; every rank gets the result."""
        check_reduction(reduction)
        arrays, layout = _laid_out(arrays)
        spec = _spec(arrays, reduction=reduction)
        with self._call("allreduce", name, group, spec, layout, arrays, steps=True) as call:
            if not call.sharded:
                return layout.unpack(reduce_runs(layout, call.parts, reduction))
            reduce_own_slice(layout, call.parts, call.position, reduction)
            call.step()
            return layout.unpack(gather_slices(layout, call.parts))

    def reduce(self, arrays, reduction="sum", root=0, name="reduce", group=WORLD_GROUP):
        """Reduce over all ranks; the root gets the result, the others get back their own arrays."""
        check_reduction(reduction)
        arrays, layout = _laid_out(arrays)
        target = groups.member(self.group(group), root, "root_rank")
        spec = _spec(arrays, reduction=reduction, root=root)
        with self._call("reduce", name, group, spec, layout, arrays, to=[target]) as call:
            if self.rank != target:
                return [np.array(array) for array in arrays]
            return layout.unpack(reduce_runs(layout, call.parts, reduction))

    def broadcast(self, arrays, root=0, name="broadcast", group=WORLD_GROUP):
        """Return the arrays of the root on every rank."""
        arrays, layout = _laid_out(arrays)
        source = groups.member(self.group(group), root, "root_rank")
        given = arrays if self.rank == source else None
        with self._lock:
            in_background = given is not None and self._waiting_roots >= _WAITING_ROOTS
            self._waiting_roots += given is not None
        if in_background:
            # the caller's memory is its own again when this returns
            arrays = given = [np.array(array) for array in arrays]
        call = self._call("broadcast", name, group, _spec(arrays, root=root), layout, given)
        if not in_background:
            try:
                with call:
                    return layout.unpack([np.array(run) for run in layout.flat(call.parts[root])])
            finally:
                self._root_has_sent(given)
        sender = threading.Thread(target=self._send, args=(call, given))
        sender.daemon = True
        self._senders.append(sender)
        sender.start()
        return arrays

    def _send(self, call, given):
        """Wait, in a thread of its own, until the ranks have the arrays of this root.

        A program may broadcast hundreds of variables at once. Each call that waits holds a thread
        of TensorFlow, and ranks whose threads all wait for other calls would wait for ever.
        """
        try:
            with call:
                pass
        except CollectiveError as error:
            self._send_failure = error
        finally:
            self._root_has_sent(given)

    def _root_has_sent(self, given):
        with self._lock:
            self._waiting_roots -= given is not None

    def allgather(self, arrays, name="allgather", group=WORLD_GROUP):
        """Return the arrays of all ranks on every rank, concatenated along the first axis."""
        arrays, layout = _laid_out(arrays)
        if any(not array.ndim for array in arrays):
            raise ValueError("allgather needs at least one dimension; a scalar has none")
        with self._call("allgather", name, group, _spec(arrays), layout, arrays) as call:
            given = [layout.unpack(layout.flat(part)) for part in call.parts]
            return [np.concatenate(pieces) for pieces in zip(*given)]

    def reduce_scatter(self, arrays, reduction="sum", name="reduce_scatter", group=WORLD_GROUP):
        """Reduce over all ranks; every rank gets its share, split along the first axis."""
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
            return [reduce_share(pieces, call.position, reduction) for pieces in zip(*given)]

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
        """Send a piece of a flat array from every rank to every rank; counts are in elements."""
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
        """As all_to_all_v, with one matrix: row i has the counts that rank i sends to each rank."""
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
        """Send arrays to one rank of the group, which must call ``receive`` with this name."""
        arrays, layout = _laid_out(arrays)
        pair = (self.rank, groups.member(self.group(group), destination, "dest_rank"))
        with self._call("send", name, group, _spec(arrays), layout, arrays, pair, to=pair[1:]):
            pass

    def receive(self, shapes_and_dtypes, source, name, group=WORLD_GROUP):
        """Receive the arrays that one rank of the group sends under this name."""
        expected = [np.empty(shape, dtype) for shape, dtype in shapes_and_dtypes]
        expected, layout = _laid_out(expected)
        pair = (groups.member(self.group(group), source, "src_rank"), self.rank)
        with self._call("receive", name, group, _spec(expected), layout, None, pair) as call:
            return layout.unpack([np.array(run) for run in layout.flat(call.parts[0])])

    def abandon(self):
        """Close the parent's connections in a forked child, without sending anything."""
        if self._link is not None:
            self._link.abandon()
        if self._coordinator is not None:
            self._coordinator.abandon()

    def _call(self, kind, name, group, spec, layout, arrays, pair=None, **details):
        self.initialise()
        if self._send_failure is not None:
            raise self._send_failure
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
        return Call(self._link, self.segments, message, layout, arrays, **details)

    def _open(self):
        address = self._address or job_address(self.size)
        connect = _seconds("HCCL_CONNECT_TIMEOUT", 120.0)
        if self.rank == 0:
            self._coordinator = Coordinator(address, self.size, _timeouts(connect), connect)
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
    """Return the properties that must be the same on every rank."""
    return dict(details, arrays=[[array.dtype.name, list(array.shape)] for array in arrays])


def _seconds(name, default):
    text = os.environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        raise ValueError("{} is {!r}; it must be a number of seconds".format(name, text))


def _timeouts(connect):
    grace = _seconds("ASCENDIFY_MISMATCH_GRACE", 5.0)
    given = _seconds("HCCL_EXEC_TIMEOUT", None)
    if given is None:
        return Timeouts(connect, EXECUTION, "HCCL_CONNECT_TIMEOUT", grace)
    return Timeouts(given or connect, given or None, "HCCL_EXEC_TIMEOUT", grace)


_world = None
_world_lock = threading.Lock()


def world():
    """Return the world of this process, made from the environment at the first call."""
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
