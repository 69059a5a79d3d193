"""The connection of a rank to the coordinator in rank 0."""

import itertools
import queue
import socket
import threading
import time

from . import frames
from .errors import CollectiveError
from .segments import Probe

RETRY = 0.05


class PendingCall:
    """A call that waits for replies of rank 0."""

    def __init__(self, number):
        self.number = number
        self.replies = queue.Queue()
        self.on_freed = None

    def wait(self):
        """Wait for the next reply and return its description and raw bytes; releases the GIL."""
        message, payload = self.replies.get()
        if message["type"] in ("failed", "lost"):
            raise CollectiveError(message["text"])
        return message, payload


class Link:
    """Connection that is made in the background; calls wait until every rank is connected."""

    def __init__(self, address, rank, size, connect_timeout):
        self.address = address
        self.rank = rank
        self.size = size
        self.connect_timeout = connect_timeout
        self.shared = False
        self._socket = None
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._pending = {}
        self._failure = None
        self._closing = False
        self._greeted = False
        self._connected = threading.Event()
        self._settled = threading.Event()
        self._freed = threading.Condition()
        self._unfreed = 0
        self._probe = Probe(address.token)
        self._thread = threading.Thread(target=self._run, name="ascendify-link")
        self._thread.daemon = True

    def start(self):
        """Start to connect and return at once."""
        self._thread.start()

    def join_job(self):
        """Wait until every rank is connected."""
        if self._settled.is_set() and not self._failure:
            return
        if not self._connected.wait(self.connect_timeout) and not self._failure:
            raise CollectiveError(
                "Rank {} did not reach rank 0 at {} within {:g} s (HCCL_CONNECT_TIMEOUT). Either "
                "rank 0 was not started, or it exited, or it was started with another JOB_ID, rank "
                "table or RANK_SIZE.".format(self.rank, self.address, self.connect_timeout)
            )
        if not self._settled.is_set():
            self.send({"type": "waits"})
        self._settled.wait()
        if self._failure:
            raise CollectiveError(self._failure)

    def new_call(self):
        """Register a new call."""
        call = PendingCall(next(self._numbers))
        with self._lock:
            if self._failure:
                raise CollectiveError(self._failure)
            self._pending[call.number] = call
        return call

    def expect_freed(self, call, action):
        """Run an action when every rank has read the shared memory of this call."""
        call.on_freed = action
        with self._freed:
            self._unfreed += 1

    def forget(self, call):
        """Remove a call that expects no more replies."""
        with self._lock:
            self._pending.pop(call.number, None)
        self._count_freed(call)

    def send(self, message, buffers=()):
        """Send a message to rank 0; a lost connection is detected by the reading thread."""
        with self._lock:
            try:
                frames.send(self._socket, message, buffers)
            except OSError:
                pass

    def close(self, reason, timeout):
        """Leave the job once the other ranks have read this rank's shared memory or have exited."""
        deadline = time.monotonic() + timeout
        with self._freed:
            while self._unfreed and not self._failure and time.monotonic() < deadline:
                self._freed.wait(0.1)
        self._closing = True
        if self._connected.is_set():
            self.send({"type": "bye", "reason": reason})
        self._probe.close()

    def abandon(self):
        """Close the parent's socket in a forked child, without sending anything."""
        if self._socket is not None:
            self._socket.close()
        self._probe.close()

    def _run(self):
        try:
            self._connect()
            while True:
                message, payload = frames.receive(self._socket)
                self._handle(message, payload)
        except (OSError, EOFError, frames.FrameError, AttributeError):
            self._fail(self._disconnect_reason())
            if self._socket is not None:
                self._socket.close()

    def _disconnect_reason(self):
        """Return the error message for a lost connection."""
        if not self._greeted:
            return (
                "The process that listens at {} is not rank 0 of this job: it refused this job's "
                "token. Give every job that runs at the same time a JOB_ID of its own.".format(
                    self.address
                )
            )
        return (
            "Rank 0 exited, and all collectives go through it. See its log for the reason. Usually "
            "it failed, or it ran out of data before the others: give every rank the same number "
            "of batches."
        )

    def _connect(self):
        while not self._closing:
            try:
                connection = socket.create_connection((self.address.host, self.address.port), 5)
            except OSError:
                time.sleep(RETRY)
                continue
            if connection.getsockname() == connection.getpeername():
                connection.close()  # a port nobody listens on can be connected to itself
                continue
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = connection
            hello = {"type": "hello", "token": self.address.token, "rank": self.rank}
            hello.update(size=self.size, probe=self._probe.path)
            frames.send(connection, hello)
            self._connected.set()
            return

    def _handle(self, message, payload):
        kind = message["type"]
        if kind == "greeted":
            self._greeted = True
        elif kind == "welcome":
            self.shared = message["shared"]
            self._settled.set()
        elif kind in ("lost", "refused"):
            self._greeted = True
            self._fail(message["text"])
        elif kind == "sample":
            self.send({"type": "sample", "seconds": time.process_time()})
        elif kind == "freed":
            self._free(message["id"])
        else:
            with self._lock:
                call = self._pending.get(message["id"])
            if call is not None:
                call.replies.put((message, payload))

    def _free(self, number):
        with self._lock:
            call = self._pending.pop(number, None)
        if call is not None:
            self._count_freed(call)

    def _count_freed(self, call):
        action, call.on_freed = call.on_freed, None
        if action is not None:
            action()
            with self._freed:
                self._unfreed -= 1
                self._freed.notify_all()

    def _fail(self, text):
        with self._lock:
            self._failure = self._failure or text
            pending = list(self._pending.values())
        for call in pending:
            call.replies.put(({"type": "lost", "text": self._failure}, b""))
        self._connected.set()
        self._settled.set()
        with self._freed:
            self._freed.notify_all()
