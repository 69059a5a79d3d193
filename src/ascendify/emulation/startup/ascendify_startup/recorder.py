"""Writes what is captured: one file a process, one JSON object a line."""

import json
import os
import sys
import threading
import time

from ascendify_startup.process_rank import launched, rank


class Recorder(object):
    """Appends records; the file appears with the first one, so that launchers leave none."""

    def __init__(self, path):
        self.path = path
        self._file = None
        self._owner = None
        self._counts = {}
        self._lock = threading.RLock()

    def value(self, source, series, value, step=None, **more):
        """Record a number; without a step it is the next one of its series."""
        with self._lock:
            self._open()
            if step is None:
                step = self._counts.get((source, series), 0) + 1
            self._counts[source, series] = step
            more = {key: one for key, one in more.items() if one is not None}
            self.write(dict(more, source=source, series=series, step=int(step), value=value))

    def write(self, record):
        """Append a record; it is on the disk when this returns, because programs may crash."""
        with self._lock:
            self._open()
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()

    def _open(self):
        """Take the file of this rank, or one beside it when another process was first."""
        if self._owner == os.getpid():
            return
        self._owner = os.getpid()
        self._counts = {}
        path = self.path
        if launched():
            path = "%s.rank%d" % (path, rank())
        for candidate in (path, "%s.process%d" % (path, self._owner)):
            try:
                # It stays open as long as the process runs.
                self._file = open(candidate, "x", encoding="utf-8")  # noqa: SIM115
                break
            except FileExistsError:
                continue
        self.path_taken = candidate
        about = {"executable": sys.executable, "arguments": sys.argv, "time": time.time()}
        self.write(dict(about, source="process", rank=rank(), pid=self._owner))

    def beside(self, suffix):
        """A path for what belongs to this process but is no line of text."""
        with self._lock:
            self._open()
            return self.path_taken + suffix


def report_emulation(torch, torch_npu, path, why=""):
    """Tell the runner how the NPU is emulated in this process.

    Appends one JSON object to the file that ``ASCENDIFY_EMULATION`` names; without that variable
    nobody wants to know. Its keys: ``source`` ("emulation"), ``torch``, ``torch_npu``, ``path``
    and ``why`` as they are given, and ``executable``, the interpreter.

    Args:
        torch: The release of PyTorch, as it tells itself.
        torch_npu: The release of torch_npu that is stood in for.
        path: ``fast`` or ``portable``.
        why: Half a sentence on why the fast path is not taken, such as "its self-test failed".
    """
    file = os.environ.get("ASCENDIFY_EMULATION")
    if not file:
        return
    record = {"source": "emulation", "torch": torch, "torch_npu": torch_npu, "path": path}
    line = json.dumps(dict(record, why=why, executable=sys.executable)) + "\n"
    # ranks of one launcher share the file: one short write to its end is not torn apart
    with open(file, "ab", buffering=0) as out:
        out.write(line.encode("utf-8"))
