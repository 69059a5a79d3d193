"""The ranks of the job, and real collectives between them on numpy arrays.

``world()`` is made once a process from the environment. Every collective takes a list of arrays and
a name; calls of the ranks belong together by group, name and how often that name was called, never
by the order in which they arrive, so several threads may be in collectives at once. Sums are made
in the order of the ranks with the arrays' own type: the result is the same to the last bit on every
rank, and what numpy gives for ``a0 + a1 + ...``.

Environment, beside RANK_ID, RANK_SIZE and RANK_TABLE_FILE:

- ``ASCENDIFY_JOB=host:port:token``: where rank 0 listens (see ``comm.address`` without it).
- ``HCCL_CONNECT_TIMEOUT``: seconds to wait for a rank to connect or to reach a collective (120).
- ``HCCL_EXEC_TIMEOUT``: seconds to wait for a rank to reach a collective, where set; 0: for ever.
- ``ASCENDIFY_MISMATCH_GRACE``: seconds after which ranks that wait in collectives that do not match
  each other are told so (5).
"""

import atexit
import os
import sys
import threading

import numpy as np

from .comm import groups, wording
from .comm.address import job_address
from .comm.coordinator import Coordinator
from .comm.errors import CollectiveError
from .comm.identity import identity
from .comm.link import Link
from .comm.matching import Settings
from .comm.packing import Layout, plain
from .comm.reductions import FUNCTIONS, reduce_in_order
from .comm.segments import Pool, Views

__all__ = ["WORLD_GROUP", "CollectiveError", "World", "world"]

WORLD_GROUP = groups.WORLD_GROUP
INLINE_BYTES = 1 << 16
"""Up to this, arrays go over the sockets; above, through shared memory where there is some."""
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
        self._pool = Pool()
        self._views = Views()

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
        self._pool.close()

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
        _check_reduction(reduction)
        arrays = [plain(array) for array in arrays]
        call = self._call("allreduce", name, group, arrays, reduction=reduction)
        layout = Layout(arrays)
        with call.exchange(layout, arrays, steps=True) as parts:
            if not call.sharded:
                runs = _reduced(layout, parts, reduction)
            else:
                _reduce_own_slice(layout, parts, call.position, reduction)
                call.step()
                runs = _gather_slices(layout, parts)
        return layout.unpack(runs)

    def reduce(self, arrays, reduction="sum", root=0, name="reduce", group=WORLD_GROUP):
        """The root gets the reduction; the others get back what they gave."""
        _check_reduction(reduction)
        arrays = [plain(array) for array in arrays]
        call = self._call("reduce", name, group, arrays, reduction=reduction, root=root)
        layout = Layout(arrays)
        with call.exchange(layout, arrays, to=[call.world_rank(root)]) as parts:
            if call.position != root:
                return [np.array(array) for array in arrays]
            return layout.unpack(_reduced(layout, parts, reduction))

    def broadcast(self, arrays, root=0, name="broadcast", group=WORLD_GROUP):
        """Every rank gets the arrays of the root."""
        arrays = [plain(array) for array in arrays]
        call = self._call("broadcast", name, group, arrays, root=root)
        call.world_rank(root)
        layout = Layout(arrays)
        given = arrays if call.position == root else None
        with call.exchange(layout, given) as parts:
            return layout.unpack([np.array(run) for run in layout.flat(parts[root])])

    def allgather(self, arrays, name="allgather", group=WORLD_GROUP):
        """Every rank gets the arrays of all ranks, one behind the other along the first axis."""
        arrays = [plain(array) for array in arrays]
        for array in arrays:
            if not array.ndim:
                raise ValueError("allgather needs at least one dimension; a scalar has none")
        call = self._call("allgather", name, group, arrays)
        layout = Layout(arrays)
        with call.exchange(layout, arrays) as parts:
            given = [layout.unpack(layout.flat(part)) for part in parts]
            return [np.concatenate(pieces) for pieces in zip(*given)]

    def reduce_scatter(self, arrays, reduction="sum", name="reduce_scatter", group=WORLD_GROUP):
        """Every rank gets its share of the reduction, cut along the first axis."""
        _check_reduction(reduction)
        arrays = [plain(array) for array in arrays]
        call = self._call("reduce_scatter", name, group, arrays, reduction=reduction)
        for array in arrays:
            if not array.ndim or array.shape[0] % call.count:
                raise ValueError(
                    "reduce_scatter over {} ranks needs a first dimension that {} divides; "
                    "the shape is {}".format(call.count, call.count, list(array.shape))
                )
        layout = Layout(arrays)
        with call.exchange(layout, arrays) as parts:
            given = [layout.unpack(layout.flat(part)) for part in parts]
            return [
                _reduced_share(pieces, call.position, call.count, reduction)
                for pieces in zip(*given)
            ]

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
        array = plain(array)
        call = self._call("all_to_all_v", name, group, [array.reshape(-1)[:0]])
        count = call.count
        sends = groups.pieces("send", send_counts, send_displacements, count, array.size)
        receives = groups.pieces("recv", recv_counts, recv_displacements, count, None)
        length = max([start + size for start, size in receives] or [0])
        result = np.zeros(length, array.dtype)
        layout = Layout([array.reshape(-1)])
        with call.exchange(layout, [array.reshape(-1)], extra=sends) as parts:
            for source, (start, size) in enumerate(receives):
                other_start, other_size = call.extras[source][call.position]
                if other_size != size:
                    raise CollectiveError(
                        "In {}, rank {} sends {} elements to rank {}, which expects {}.".format(
                            call.text, source, other_size, call.position, size
                        )
                    )
                if size:
                    offset = other_start * array.dtype.itemsize
                    piece = np.frombuffer(parts[source], array.dtype, size, offset)
                    result[start : start + size] = piece
        return result

    def all_to_all_v_c(self, array, counts, name="all_to_all_v_c", group=WORLD_GROUP):
        """As all_to_all_v, with one matrix: row i says what rank i sends to each rank."""
        matrix = np.asarray(counts, np.int64)
        position = self._position(group)
        count = len(self.group(group))
        if matrix.shape != (count, count):
            raise ValueError(
                "send_count_matrix must be {0} by {0}, it is {1}".format(count, matrix.shape)
            )
        send, recv = matrix[position], matrix[:, position]
        starts = [np.concatenate([[0], np.cumsum(row)[:-1]]) for row in (send, recv)]
        return self.all_to_all_v(array, send, starts[0], recv, starts[1], name, group)

    def send(self, arrays, destination, name, group=WORLD_GROUP):
        """Hand arrays to one rank of the group, which must call ``receive`` with this name."""
        arrays = [plain(array) for array in arrays]
        members = self.group(group)
        pair = (self.rank, _member(members, destination, "dest_rank"))
        call = self._call("send", name, group, arrays, pair=pair)
        with call.exchange(Layout(arrays), arrays, to=[pair[1]]):
            pass

    def receive(self, shapes_and_dtypes, source, name, group=WORLD_GROUP):
        """Take the arrays that one rank of the group sends under this name."""
        arrays = [np.empty(shape, dtype) for shape, dtype in shapes_and_dtypes]
        members = self.group(group)
        pair = (_member(members, source, "src_rank"), self.rank)
        call = self._call("receive", name, group, arrays, pair=pair)
        layout = Layout(arrays)
        with call.exchange(layout, None) as parts:
            return layout.unpack([np.array(run) for run in layout.flat(parts[0])])

    def abandon(self):
        """In a forked child: leave the parent's connections alone."""
        if self._link is not None:
            self._link.abandon()
        if self._coordinator is not None:
            self._coordinator.abandon()

    def _call(self, kind, name, group, arrays, pair=None, **details):
        self.initialise()
        members = self.group(group)
        if self.rank not in members:
            raise ValueError(
                "rank {} is no member of group {!r} ({})".format(
                    self.rank, group, wording.ranks(members)
                )
            )
        spec = {"arrays": [[array.dtype.name, list(array.shape)] for array in arrays]}
        spec.update(details)
        if pair is not None:
            members = pair
            name = "{} from {} to {}".format(name, *pair)
        with self._lock:
            sequence = self._sequences.get((group, name), 0)
            self._sequences[group, name] = sequence + 1
        return _Call(self, kind, name, group, members, sequence, spec)

    def _position(self, group):
        return self.group(group).index(self.rank)

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


class _Call:
    """One collective of this rank, from its announcement to the release of shared memory."""

    def __init__(self, owner, kind, name, group, members, sequence, spec):
        self.owner = owner
        self.members = members
        self.count = len(members)
        self.position = members.index(owner.rank) if owner.rank in members else None
        self.sharded = False
        self.extras = []
        self._message = {
            "kind": kind,
            "name": name,
            "group": group,
            "members": list(members),
            "sequence": sequence,
            "spec": spec,
            "rank": owner.rank,
        }
        self._ticket = None
        self._done = False
        self._segment = None

    @property
    def text(self):
        """The call in words."""
        return wording.call(self._message)

    def world_rank(self, root):
        """The rank in the job of a rank in the group."""
        return _member(self.members, root, "root_rank")

    def exchange(self, layout, arrays, to=None, steps=False, extra=None):
        """Context in which the bytes that each rank gave can be read."""
        self._announce = (layout, arrays, to, steps, extra)
        return self

    def __enter__(self):
        layout, arrays, to, steps, extra = self._announce
        if self.count == 1:
            buffer = np.zeros(layout.nbytes, np.uint8)
            if arrays is not None:
                layout.pack(arrays, buffer)
            self.extras = [extra]
            self._done = True
            return [buffer]
        try:
            return self._parts(layout, arrays, to, steps, extra)
        except BaseException:
            self._close(failed=True)
            raise

    def __exit__(self, kind, value, traceback):
        self._close(failed=kind is not None)

    def step(self):
        """Wait until every rank has done its part."""
        self._tell("step")
        self._wait()

    def _parts(self, layout, arrays, to, steps, extra):
        link = self.owner._link
        link.join_job()
        self._ticket = link.ticket()
        nbytes = layout.nbytes if arrays is not None else 0
        shared, payload = None, ()
        if link.shared and nbytes > INLINE_BYTES:
            with self.owner._lock:
                self._segment = self.owner._pool.take(self.members, nbytes)
        if self._segment is not None:
            layout.pack(arrays, self._segment.buffer)
            shared = self._segment.reference(nbytes)
            link.expect_freed(self._ticket, self._freed)
        elif nbytes:
            payload = np.empty(nbytes, np.uint8)
            layout.pack(arrays, payload)
            payload = [payload]
        with self.owner._lock:
            dropped = self.owner._pool.dropped(self.members)
        message = dict(self._message, type="call", id=self._ticket.number, shared=shared)
        message.update(to=to or list(self.members), steps=steps, extra=extra, dropped=dropped)
        link.send(message, payload)
        return self._read(*self._wait(), steps=steps)

    def _read(self, message, payload, steps):
        view, buffers = memoryview(payload), []
        self.sharded = steps and all(part["shared"] for part in message["parts"])
        for part in message["parts"]:
            self.extras.append(part["extra"])
            if part["shared"]:
                with self.owner._lock:
                    self.owner._views.forget(part["dropped"])
                    buffers.append(self.owner._views.buffer(part["shared"]))
            else:
                buffers.append(view[: part["nbytes"]])
                view = view[part["nbytes"] :]
        return buffers

    def _wait(self):
        try:
            return self._ticket.wait()
        except CollectiveError as error:
            text = str(error)
            if self._message["name"] not in text:
                text = "In {}: {}".format(self.text, text)
            raise CollectiveError(text)

    def _tell(self, kind):
        keys = ("group", "name", "sequence")
        message = {key: self._message[key] for key in keys}
        self.owner._link.send(dict(message, type=kind))

    def _close(self, failed):
        if self._done or self._ticket is None:
            return
        self._done = True
        self._tell("release")
        if failed or self._segment is None:
            self._segment_failed = failed
            self.owner._link.forget(self._ticket)

    def _freed(self):
        with self.owner._lock:
            if getattr(self, "_segment_failed", False):
                # Peers may still read it; it is given back once nobody maps it.
                self.owner._pool.drop(self.members, self._segment)
            else:
                self._segment.busy = False


def _reduced(layout, parts, reduction):
    """Each run reduced over all ranks, in new memory."""
    given = [layout.flat(part) for part in parts]
    runs = layout.empty_runs()
    return [reduce_in_order(list(run), reduction, out) for run, out in zip(zip(*given), runs)]


def _reduced_share(pieces, position, count, reduction):
    rows = pieces[0].shape[0] // count
    shares = [piece[position * rows : (position + 1) * rows] for piece in pieces]
    out = np.empty(shares[0].size, shares[0].dtype)
    reduce_in_order([share.reshape(-1) for share in shares], reduction, out)
    return out.reshape(shares[0].shape)


def _slice(length, position, count):
    return slice(length * position // count, length * (position + 1) // count)


def _reduce_own_slice(layout, parts, position, reduction):
    """Reduce this rank's slice of every run, in place in this rank's own segment."""
    given = [layout.flat(part) for part in parts]
    for run in zip(*given):
        mine = _slice(len(run[0]), position, len(parts))
        slices = [one[mine] for one in run]
        reduce_in_order(slices, reduction, slices[position])


def _gather_slices(layout, parts):
    """Every run from the slices that the ranks have reduced."""
    runs = layout.empty_runs()
    for position, part in enumerate(parts):
        for out, run in zip(runs, layout.flat(part)):
            mine = _slice(len(out), position, len(parts))
            out[mine] = run[mine]
    return runs


def _member(members, position, what):
    if not 0 <= position < len(members):
        raise ValueError(
            "{} is {}; the group has ranks 0 to {}".format(what, position, len(members) - 1)
        )
    return members[position]


def _check_reduction(reduction):
    if reduction not in FUNCTIONS:
        raise ValueError(
            "reduction is {!r}; it must be one of {}".format(reduction, ", ".join(FUNCTIONS))
        )


def _seconds(name, default):
    text = os.environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        raise ValueError("{} is {!r}; it must be a number of seconds".format(name, text))


def _settings(connect):
    grace = _seconds("ASCENDIFY_MISMATCH_GRACE", 5.0)
    arrival = _seconds("HCCL_EXEC_TIMEOUT", None)
    if arrival is None:
        return Settings(connect, "HCCL_CONNECT_TIMEOUT", grace)
    return Settings(arrival or None, "HCCL_EXEC_TIMEOUT", grace)


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
