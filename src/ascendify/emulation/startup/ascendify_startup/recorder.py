"""Write captured records: one file per process, one JSON object per line."""

import json
import os
import sys
import threading
import time

from ascendify_startup.process_rank import launched, rank


class Recorder(object):
    """Appends records; the first one creates the file, so that launchers write none."""

    def __init__(self, path):
        self.path = path
        self._file = None
        self._owner = None
        self._counts = {}
        self._lock = threading.RLock()

    def value(self, source, series, value, step=None, **more):
        """Record a number; without ``step`` it gets the next step of its series."""
        with self._lock:
            self._open()
            if step is None:
                step = self._counts.get((source, series), 0) + 1
            self._counts[source, series] = step
            more = {key: one for key, one in more.items() if one is not None}
            self.write(dict(more, source=source, series=series, step=int(step), value=value))

    def write(self, record):
        """Append a record and flush it, because programs may crash."""
        with self._lock:
            self._open()
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()

    def _open(self):
        """Open the file of this rank, or another name if a process of this rank already has it."""
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

    def path_with(self, suffix):
        """Return a path for further files of this process, such as arrays."""
        with self._lock:
            self._open()
            return self.path_taken + suffix


def report_emulation(torch, torch_npu, path, why=""):
    """Report to the runner how the NPU is emulated in this process.

    Appends one JSON object to the file that ``ASCENDIFY_EMULATION`` names; does nothing without
    that variable. Its keys: ``source`` ("emulation"), ``torch``, ``torch_npu``, ``path`` and
    ``why`` as they are given, and ``executable``, the interpreter.

    Args:
        torch: The release of PyTorch (``torch.__version__``).
        torch_npu: The emulated release of torch_npu.
        path: ``fast`` or ``portable``.
        why: Why the fast path is not used, without a capital letter or period, such as "its
            self-test failed".
    """
    file = os.environ.get("ASCENDIFY_EMULATION")
    if not file:
        return
    record = {"source": "emulation", "torch": torch, "torch_npu": torch_npu, "path": path}
    line = json.dumps(dict(record, why=why, executable=sys.executable)) + "\n"
    # ranks of one launcher share the file: a single short append is atomic
    with open(file, "ab", buffering=0) as out:
        out.write(line.encode("utf-8"))
