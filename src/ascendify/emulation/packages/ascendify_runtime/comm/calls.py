"""One collective call of this rank: it sends the rank's arrays and receives those of the others."""

import numpy as np

from . import describe
from .errors import CollectiveError

INLINE_BYTES = 1 << 16
"""Larger arrays go through shared memory, if it is available; smaller ones over the sockets."""


class Call:
    """A collective call, from its announcement to the release of its shared memory.

    Used as a context manager: inside, ``parts`` holds the bytes that each rank sent, in the order
    of the group. ``arrays`` None: this rank sends nothing. ``to``: the ranks that need its arrays.
    ``steps``: the ranks work on each other's shared memory and synchronise in between.
    """

    def __init__(self, link, pool, message, layout, arrays, to=None, steps=False, extra=None):
        self.members = tuple(message["members"])
        self.position = self.members.index(message["rank"])
        self.extras = [extra]
        self.sharded = False
        self.parts = []
        self._link = link
        self._pool = pool
        self._message = message
        self._layout = layout
        self._arrays = arrays
        self._details = {"to": list(to or self.members), "steps": steps, "extra": extra}
        self._pending = None
        self._segment = None
        self._failed = False

    @property
    def text(self):
        """A description of the call for error messages."""
        return describe.call(self._message)

    def __enter__(self):
        if len(self.members) == 1:
            self.parts = [self._packed()]
            return self
        try:
            self._announce()
            self._read(*self._pending.wait())
        except BaseException as error:
            self._close(failed=True)
            if isinstance(error, CollectiveError):
                raise self._with_name(error)
            raise
        return self

    def __exit__(self, kind, value, traceback):
        if len(self.members) > 1:
            self._close(failed=kind is not None)

    def step(self):
        """Wait until every rank has reached this step."""
        self._send("step")
        try:
            self._pending.wait()
        except CollectiveError as error:
            raise self._with_name(error)

    def _announce(self):
        self._link.join_job()
        self._pending = self._link.new_call()
        nbytes = self._layout.nbytes if self._arrays is not None else 0
        shared, payload = None, ()
        if self._link.shared and nbytes > INLINE_BYTES:
            self._segment = self._pool.take(self.members, nbytes)
        if self._segment is not None:
            self._link.expect_freed(self._pending, self._give_back)
            self._layout.pack(self._arrays, self._segment.buffer)
            shared = self._segment.reference(nbytes)
        elif nbytes:
            payload = [self._packed()]
        message = dict(self._message, type="call", id=self._pending.number, shared=shared)
        message.update(self._details, dropped=self._pool.dropped(self.members))
        self._link.send(message, payload)

    def _packed(self):
        buffer = np.zeros(self._layout.nbytes, np.uint8)
        if self._arrays is not None:
            self._layout.pack(self._arrays, buffer)
        return buffer

    def _read(self, message, payload):
        view, parts = memoryview(payload), message["parts"]
        self.extras = [part["extra"] for part in parts]
        self.sharded = self._details["steps"] and all(part["shared"] for part in parts)
        for rank, part in zip(self.members, parts):
            self._pool.forget(part["dropped"])
            if part["shared"]:
                self.parts.append(self._mapped(rank, part["shared"]))
            else:
                self.parts.append(view[: part["nbytes"]])
                view = view[part["nbytes"] :]

    def _mapped(self, rank, reference):
        try:
            return self._pool.view(reference)
        except OSError as error:
            raise CollectiveError(
                "Rank {} exited before its data could be read: {}".format(rank, error)
            )

    def _send(self, kind):
        message = {key: self._message[key] for key in ("group", "name", "sequence")}
        self._link.send(dict(message, type=kind))

    def _with_name(self, error):
        text = str(error)
        if "'{}'".format(self._message["name"]) in text:
            return error
        return CollectiveError("In {}: {}".format(self.text, text))

    def _close(self, failed):
        if self._pending is None:
            return
        self.parts = []
        self._failed = failed
        self._send("release")
        if failed or self._segment is None:
            self._link.forget(self._pending)

    def _give_back(self):
        """Return the segment to the pool: no rank will read it any more."""
        self._pool.give_back(self.members, self._segment, again=not self._failed)
