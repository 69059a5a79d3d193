"""A rank's end of the line to rank 0."""

import itertools
import queue
import socket
import threading
import time

from . import frames
from .errors import CollectiveError
from .segments import Probe

RETRY = 0.05


class Ticket:
    """A call under way: what rank 0 says about it arrives here."""

    def __init__(self, number):
        self.number = number
        self.answers = queue.Queue()
        self.on_freed = None

    def wait(self):
        """The next answer: description and raw bytes. Waits without holding the interpreter."""
        message, payload = self.answers.get()
        if message["type"] in ("failed", "lost"):
            raise CollectiveError(message["text"])
        return message, payload


class Link:
    """Connects in the background; calls wait until every rank is there."""

    def __init__(self, address, rank, size, connect_timeout):
        self.address = address
        self.rank = rank
        self.size = size
        self.connect_timeout = connect_timeout
        self.shared = False
        self._socket = None
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._tickets = {}
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
        """Begin to connect; returns at once."""
        self._thread.start()

    def join_job(self):
        """Wait until every rank is connected."""
        if self._settled.is_set() and not self._failure:
            return
        if not self._connected.wait(self.connect_timeout) and not self._failure:
            raise CollectiveError(
                "Rank {} did not reach rank 0 at {} within {:g} s (HCCL_CONNECT_TIMEOUT). Either "
                "rank 0 was not started, or it ended, or it was started with another JOB_ID, rank "
                "table or RANK_SIZE.".format(self.rank, self.address, self.connect_timeout)
            )
        if not self._settled.is_set():
            self.send({"type": "waits"})
        self._settled.wait()
        if self._failure:
            raise CollectiveError(self._failure)

    def ticket(self):
        """A number for a new call."""
        ticket = Ticket(next(self._numbers))
        with self._lock:
            if self._failure:
                raise CollectiveError(self._failure)
            self._tickets[ticket.number] = ticket
        return ticket

    def expect_freed(self, ticket, action):
        """Do something when every rank has read what this call shared."""
        ticket.on_freed = action
        with self._freed:
            self._unfreed += 1

    def forget(self, ticket):
        """Nothing more is expected about a call."""
        with self._lock:
            self._tickets.pop(ticket.number, None)
        self._count_freed(ticket)

    def send(self, message, buffers=()):
        """Say something to rank 0; that it has gone is found out by reading."""
        with self._lock:
            try:
                frames.send(self._socket, message, buffers)
            except OSError:
                pass

    def close(self, reason, patience):
        """Leave the job: after peers have read what this rank shared, or are gone."""
        deadline = time.monotonic() + patience
        with self._freed:
            while self._unfreed and not self._failure and time.monotonic() < deadline:
                self._freed.wait(0.1)
        self._closing = True
        if self._connected.is_set():
            self.send({"type": "bye", "reason": reason})
        self._probe.close()

    def abandon(self):
        """In a forked child: give up the parent's socket without a word to anybody."""
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
            self._fail(self._farewell())
            if self._socket is not None:
                self._socket.close()

    def _farewell(self):
        """Why the line is cut."""
        if not self._greeted:
            return (
                "What listens at {} is not rank 0 of this job: it does not take this job's "
                "token. Give every job that runs at the same time a JOB_ID of its own.".format(
                    self.address
                )
            )
        return (
            "Rank 0 ended, and the collectives go through it. See its log for the reason. Usually "
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
                ticket = self._tickets.get(message["id"])
            if ticket is not None:
                ticket.answers.put((message, payload))

    def _free(self, number):
        with self._lock:
            ticket = self._tickets.pop(number, None)
        if ticket is not None:
            self._count_freed(ticket)

    def _count_freed(self, ticket):
        action, ticket.on_freed = ticket.on_freed, None
        if action is not None:
            action()
            with self._freed:
                self._unfreed -= 1
                self._freed.notify_all()

    def _fail(self, text):
        with self._lock:
            self._failure = self._failure or text
            tickets = list(self._tickets.values())
        for ticket in tickets:
            ticket.answers.put(({"type": "lost", "text": self._failure}, b""))
        self._connected.set()
        self._settled.set()
        with self._freed:
            self._freed.notify_all()
