"""Shared memory: files without a name that the other ranks open through ``/proc``.

A file without a name cannot be left behind, however a process exits. Where the other ranks cannot
open it through ``/proc``, arrays are sent over the sockets.
"""

import itertools
import mmap
import os
import tempfile
import threading

import numpy as np

STEP = 1 << 20
"""Sizes are rounded up to this, so that calls of similar size can reuse a segment."""
_numbers = itertools.count()


class Segment:
    """Memory of this process that other ranks can map."""

    def __init__(self, descriptor, size):
        self.descriptor = descriptor
        self.size = size
        self.key = "{}-{}".format(os.getpid(), next(_numbers))
        self.path = "/proc/{}/fd/{}".format(os.getpid(), descriptor)
        self.buffer = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
        self.busy = True

    def close(self):
        """Release the memory; the system frees it when no process has it mapped any more."""
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = None
        self.buffer = None

    def reference(self, nbytes):
        """Return the data that another rank needs to map the segment."""
        return {"key": self.key, "path": self.path, "size": self.size, "nbytes": nbytes}


def create(nbytes):
    """Return a segment of at least ``nbytes`` bytes, or None if there is no space."""
    size = max(1, -(-nbytes // STEP)) * STEP
    for folder in ("/dev/shm", tempfile.gettempdir()):  # noqa: S108 - file systems in memory
        try:
            descriptor = _nameless(folder)
        except OSError:
            continue
        try:
            # Without this, writing to a full file system kills the process with SIGBUS.
            os.posix_fallocate(descriptor, 0, size)
            return Segment(descriptor, size)
        except (OSError, AttributeError, ValueError):
            os.close(descriptor)
    return None


def _nameless(folder):
    flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0)
    if hasattr(os, "O_TMPFILE"):
        try:
            return os.open(folder, flags | os.O_TMPFILE, 0o600)
        except OSError:
            pass  # not every file system supports it
    descriptor, name = tempfile.mkstemp(prefix="ascendify-memory-", dir=folder)
    os.unlink(name)
    return descriptor


class Probe:
    """A small file without a name: a process that can read it can share memory with this one."""

    def __init__(self, secret):
        self.descriptor = None
        try:
            self.descriptor = _nameless(tempfile.gettempdir())
            os.write(self.descriptor, secret.encode("ascii"))
        except OSError:
            self.close()

    @property
    def path(self):
        """The path for other ranks; None if the file could not be made."""
        if self.descriptor is None:
            return None
        return "/proc/{}/fd/{}".format(os.getpid(), self.descriptor)

    def close(self):
        """Close the file."""
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = None


def probe(path, secret):
    """Whether the probe of another rank can be read here and contains the secret."""
    if not path:
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(secret) + 1) == secret.encode("ascii")
    except OSError:
        return False


class SegmentPool:
    """Segments of this process, reused between calls, and the mapped segments of other ranks."""

    def __init__(self):
        self._lock = threading.Lock()
        self._own = {}
        self._dropped = {}
        self._others = {}

    def take(self, members, nbytes):
        """Return a free segment for these ranks that is large enough; None if there is no space."""
        with self._lock:
            segments = self._own.setdefault(members, [])
            free = [one for one in segments if not one.busy]
            fitting = [one for one in free if one.size >= nbytes]
            if fitting:
                segment = min(fitting, key=lambda one: one.size)
                segment.busy = True
                return segment
            for small in free:
                self._drop(members, small)
            segment = create(nbytes)
            if segment is not None:
                segments.append(segment)
            return segment

    def give_back(self, members, segment, again):
        """Mark a segment as free; without ``again`` it is dropped instead of reused."""
        with self._lock:
            segment.busy = False
            if not again and segment in self._own.get(members, ()):
                self._drop(members, segment)

    def dropped(self, members):
        """Return the keys of segments that these ranks must unmap; each key only once."""
        with self._lock:
            return self._dropped.pop(members, [])

    def view(self, reference):
        """Return the bytes of another rank's segment."""
        key = reference["key"]
        with self._lock:
            if key not in self._others:
                self._others[key] = _mapped(reference)
            return self._others[key]

    def forget(self, keys):
        """Unmap segments that their owner has dropped."""
        with self._lock:
            for key in keys:
                self._others.pop(key, None)

    def close(self):
        """Release all segments."""
        with self._lock:
            for segments in self._own.values():
                for segment in segments:
                    segment.close()
            self._own = {}
            self._others = {}

    def _drop(self, members, segment):
        self._own[members].remove(segment)
        self._dropped.setdefault(members, []).append(segment.key)
        segment.close()


def _mapped(reference):
    descriptor = os.open(reference["path"], os.O_RDWR)
    try:
        return np.frombuffer(mmap.mmap(descriptor, reference["size"]), np.uint8)
    finally:
        os.close(descriptor)
