"""Shared memory: files without a name that the other ranks open through ``/proc``.

A file that never has a name (or loses it before anything is written) cannot be left behind,
however a process ends. Where the peers cannot be reached that way, arrays go over the sockets.
"""

import itertools
import mmap
import os
import tempfile
import threading

import numpy as np

STEP = 1 << 20
"""Sizes are rounded up to this, so that calls of about the same size share a segment."""
_numbers = itertools.count()


class Segment:
    """Memory of this process that others can map."""

    def __init__(self, descriptor, size):
        self.descriptor = descriptor
        self.size = size
        self.key = "{}-{}".format(os.getpid(), next(_numbers))
        self.path = "/proc/{}/fd/{}".format(os.getpid(), descriptor)
        self.buffer = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
        self.busy = True

    def close(self):
        """Give the memory back once nobody looks at it any more."""
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = None
        self.buffer = None

    def reference(self, nbytes):
        """What a peer needs to map it."""
        return {"key": self.key, "path": self.path, "size": self.size, "nbytes": nbytes}


def create(nbytes):
    """A segment of at least so many bytes, or None where there is no room for it."""
    size = max(1, -(-nbytes // STEP)) * STEP
    for folder in ("/dev/shm", tempfile.gettempdir()):  # noqa: S108 - where memory files live
        try:
            descriptor = _nameless(folder)
        except OSError:
            continue
        try:
            # Without this, writing to a full file system ends the process with SIGBUS.
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
            pass  # not every file system has them
    descriptor, name = tempfile.mkstemp(prefix="ascendify-memory-", dir=folder)
    os.unlink(name)
    return descriptor


class Probe:
    """A small nameless file: who can read it can share memory with this process."""

    def __init__(self, secret):
        self.descriptor = None
        try:
            self.descriptor = _nameless(tempfile.gettempdir())
            os.write(self.descriptor, secret.encode("ascii"))
        except OSError:
            self.close()

    @property
    def path(self):
        """Where others find it; None when there is none."""
        if self.descriptor is None:
            return None
        return "/proc/{}/fd/{}".format(os.getpid(), self.descriptor)

    def close(self):
        """Give it back."""
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = None


def probe(path, secret):
    """Whether a peer's probe can be read here and says what it should."""
    if not path:
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(secret) + 1) == secret.encode("ascii")
    except OSError:
        return False


class Shelf:
    """Segments of this process, used again from call to call, and those of others mapped here."""

    def __init__(self):
        self._lock = threading.Lock()
        self._own = {}
        self._dropped = {}
        self._others = {}

    def take(self, members, nbytes):
        """A free segment for these ranks that is large enough; None where there is no room."""
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
        """A segment is no longer read by anybody; ``again``: it may be used once more."""
        with self._lock:
            segment.busy = False
            if not again and segment in self._own.get(members, ()):
                self._drop(members, segment)

    def dropped(self, members):
        """Segments that these ranks may forget, told once."""
        with self._lock:
            return self._dropped.pop(members, [])

    def view(self, reference):
        """The bytes of a peer's segment."""
        key = reference["key"]
        with self._lock:
            if key not in self._others:
                self._others[key] = _mapped(reference)
            return self._others[key]

    def forget(self, keys):
        """Unmap segments whose owner gave them back."""
        with self._lock:
            for key in keys:
                self._others.pop(key, None)

    def close(self):
        """Give everything back."""
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
