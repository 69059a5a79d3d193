"""One collective of this rank: what it gives, and what the others gave."""

import numpy as np

from . import describe
from .errors import CollectiveError

INLINE_BYTES = 1 << 16
"""Up to this, arrays go over the sockets; above, through shared memory where there is some."""


class Call:
    """A collective from its announcement to the release of the memory it shared.

    Used as a context: inside, ``parts`` holds the bytes that each rank gave, in the order of the
    group. ``arrays`` None: this rank gives nothing. ``to``: the ranks that need what it gives.
    ``steps``: the ranks work on each other's shared memory and wait for each other in between.
    """

    def __init__(self, link, shelf, message, layout, arrays, to=None, steps=False, extra=None):
        self.members = tuple(message["members"])
        self.position = self.members.index(message["rank"])
        self.extras = [extra]
        self.sharded = False
        self.parts = []
        self._link = link
        self._shelf = shelf
        self._message = message
        self._layout = layout
        self._arrays = arrays
        self._details = {"to": list(to or self.members), "steps": steps, "extra": extra}
        self._ticket = None
        self._segment = None
        self._failed = False

    @property
    def text(self):
        """The call in words."""
        return describe.call(self._message)

    def __enter__(self):
        if len(self.members) == 1:
            self.parts = [self._packed()]
            return self
        try:
            self._announce()
            self._read(*self._ticket.wait())
        except BaseException as error:
            self._close(failed=True)
            if isinstance(error, CollectiveError):
                raise self._named(error)
            raise
        return self

    def __exit__(self, kind, value, traceback):
        if len(self.members) > 1:
            self._close(failed=kind is not None)

    def step(self):
        """Wait until every rank has done its part."""
        self._tell("step")
        try:
            self._ticket.wait()
        except CollectiveError as error:
            raise self._named(error)

    def _announce(self):
        self._link.join_job()
        self._ticket = self._link.ticket()
        nbytes = self._layout.nbytes if self._arrays is not None else 0
        shared, payload = None, ()
        if self._link.shared and nbytes > INLINE_BYTES:
            self._segment = self._shelf.take(self.members, nbytes)
        if self._segment is not None:
            self._link.expect_freed(self._ticket, self._give_back)
            self._layout.pack(self._arrays, self._segment.buffer)
            shared = self._segment.reference(nbytes)
        elif nbytes:
            payload = [self._packed()]
        message = dict(self._message, type="call", id=self._ticket.number, shared=shared)
        message.update(self._details, dropped=self._shelf.dropped(self.members))
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
            self._shelf.forget(part["dropped"])
            if part["shared"]:
                self.parts.append(self._mapped(rank, part["shared"]))
            else:
                self.parts.append(view[: part["nbytes"]])
                view = view[part["nbytes"] :]

    def _mapped(self, rank, reference):
        try:
            return self._shelf.view(reference)
        except OSError as error:
            raise CollectiveError(
                "Rank {} ended before what it gave could be read: {}".format(rank, error)
            )

    def _tell(self, kind):
        message = {key: self._message[key] for key in ("group", "name", "sequence")}
        self._link.send(dict(message, type=kind))

    def _named(self, error):
        text = str(error)
        if "'{}'".format(self._message["name"]) in text:
            return error
        return CollectiveError("In {}: {}".format(self.text, text))

    def _close(self, failed):
        if self._ticket is None:
            return
        self.parts = []
        self._failed = failed
        self._tell("release")
        if failed or self._segment is None:
            self._link.forget(self._ticket)

    def _give_back(self):
        """Every rank has read the segment, or nobody will any more."""
        self._shelf.give_back(self.members, self._segment, again=not self._failed)
