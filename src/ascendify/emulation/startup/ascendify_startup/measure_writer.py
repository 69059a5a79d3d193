"""Write measurements with a short delay: a step may be shorter than a write."""

import collections
import json
import os
import threading
import time

from ascendify_startup.process_rank import rank

FLUSH_SECONDS = 0.5
"""Seconds between writes; a killed process loses no more than this."""
_LINE = (
    '{"time": %.6f, "rank": %d, "event": "%s", "step": %d, "seconds": %s, "samples": %s, '
    '"loss": %s, "accuracy": %s}\n'
)
"""The format of a line; faster than the json module, because training waits for it."""


class Writer(object):
    """Appends rows to the file of this rank; the first row creates the file."""

    def __init__(self, folder):
        self._folder = folder
        self._owner = None
        self._rows = collections.deque()
        self._lock = threading.Lock()
        self._error = None

    def add(self, row):
        """Add a row; an error of an earlier write is raised here, where the caller handles it."""
        if not self.is_ours():
            self._start()
        if self._error is not None:
            raise self._error
        self._rows.append(row)

    def is_ours(self):
        """Whether this process has written rows; a forked child starts without any."""
        return self._owner == os.getpid()

    def flush(self):
        """Write the waiting rows, in whole lines."""
        with self._lock:
            lines = []
            while self._rows:
                lines.append(self._line(self._rows.popleft()))
            if lines:
                os.write(self._file, "".join(lines).encode("ascii"))

    def _start(self):
        self._owner = os.getpid()
        self._rows = collections.deque()
        self._lock = threading.Lock()
        self._rank = rank()
        path = os.path.join(self._folder, "measure-%d.jsonl" % self._rank)
        # several processes of one rank may train, one after the other
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        thread = threading.Thread(target=self._flush_always, name="ascendify-measure")
        thread.daemon = True
        thread.start()

    def _flush_always(self):
        while self._error is None:
            time.sleep(FLUSH_SECONDS)
            try:
                self.flush()
            except Exception as error:
                self._error = error

    def _line(self, row):
        moment, event, step, seconds, samples, loss, accuracy = row
        return _LINE % (
            moment,
            self._rank,
            event,
            step,
            "null" if seconds is None else "%.6f" % seconds,
            "null" if samples is None else samples,
            _json(loss),
            _json(accuracy),
        )


def _json(value):
    return "null" if value is None else json.dumps(value)
