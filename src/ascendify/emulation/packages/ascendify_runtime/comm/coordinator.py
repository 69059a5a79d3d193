"""The server thread in rank 0 that every rank connects to."""

import collections
import hmac
import selectors
import socket
import threading
import time

from . import describe, frames, segments
from .errors import CollectiveError
from .matching import Matcher

TICK = 0.2
HELLO_LIMIT = 4096
"""Most bytes that a process may send before it has sent the job's token."""
CLOSE_TIMEOUT = 5.0
"""Seconds that rank 0 waits before it exits, so that the other ranks can read their messages."""


class Peer:
    """The connection of one rank."""

    def __init__(self, connection):
        self.connection = connection
        self.rank = None
        self.header = None
        self.description = None
        self.data = bytearray(frames.HEADER.size)
        self.filled = 0
        self.outgoing = collections.deque()
        self.reason = None
        self.shut_down = False


class Coordinator:
    """Server that accepts the ranks, matches their calls and relays data until rank 0 exits."""

    def __init__(self, address, size, timeouts, connect_timeout):
        self.address = address
        self.size = size
        self.connect_timeout = connect_timeout
        self._deadline = None
        self._failure = None
        self._peers = {}
        self._shared = True
        self._matcher = Matcher(timeouts, self._send)
        self._selector = selectors.DefaultSelector()
        self._listener = self._listen()
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._closing = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ascendify-coordinator")
        self._thread.daemon = True

    def start(self):
        """Start the thread."""
        self._thread.start()

    def close(self):
        """Wait until the ranks have read their messages, then stop."""
        self._closing = time.monotonic() + CLOSE_TIMEOUT
        try:
            self._wake.send(b"x")
        except OSError:
            pass
        self._stopped.wait(CLOSE_TIMEOUT + 1)

    def abandon(self):
        """Close the parent's sockets in a forked child, without sending anything."""
        for one in [self._listener, self._wake, self._woken] + [
            peer.connection for peer in self._peers.values()
        ]:
            one.close()

    def _listen(self):
        family = socket.AF_INET6 if ":" in self.address.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.address.host, self.address.port))
        except OSError as error:
            listener.close()
            raise CollectiveError(
                "Rank 0 cannot listen on {}: {}. Another job with the same JOB_ID and rank table "
                "may be running; give this one another JOB_ID.".format(self.address, error)
            )
        listener.listen(128)
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)
        return listener

    def _run(self):
        try:
            ticked = time.monotonic()
            while not self._finished():
                for key, events in self._selector.select(TICK):
                    self._serve(key, events)
                now = time.monotonic()
                if now - ticked >= TICK:
                    ticked = now
                    self._tick(now)
        finally:
            for key in list(self._selector.get_map().values()):
                key.fileobj.close()
            self._selector.close()
            self._stopped.set()

    def _finished(self):
        if self._closing is None:
            return False
        for peer in self._connections():
            if not peer.outgoing and not peer.shut_down:
                peer.shut_down = True
                _quietly(peer.connection.shutdown, socket.SHUT_WR)
        return not self._connections() or time.monotonic() > self._closing

    def _connections(self):
        return [key.data for key in self._selector.get_map().values() if key.data is not None]

    def _tick(self, now):
        if self._deadline is not None and now > self._deadline and self._failure is None:
            missing = [rank for rank in range(self.size) if rank not in self._peers]
            self._failure = (
                "{} did not connect within {:g} s (HCCL_CONNECT_TIMEOUT). Start all {} ranks, "
                "with the same JOB_ID and rank table; raise HCCL_CONNECT_TIMEOUT when a rank only "
                "needs longer to start.".format(
                    describe.ranks(missing).capitalize(), self.connect_timeout, self.size
                )
            )
            for rank in list(self._peers):
                self._send(rank, {"type": "lost", "text": self._failure})
        self._matcher.tick(now)
        for rank in self._matcher.ranks_to_sample:
            self._send(rank, {"type": "sample"})

    def _serve(self, key, events):
        if key.fileobj is self._listener:
            self._accept()
        elif key.fileobj is self._woken:
            _quietly(self._woken.recv, 64)
        else:
            if events & selectors.EVENT_WRITE:
                self._write(key.data)
            if events & selectors.EVENT_READ:
                self._read(key.data)

    def _accept(self):
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(connection, selectors.EVENT_READ, Peer(connection))

    def _read(self, peer):
        try:
            while self._fill(peer):
                self._advance(peer)
                if not self._is_open(peer):
                    return
        except (OSError, EOFError, frames.FrameError):
            self._drop(peer)

    def _is_open(self, peer):
        return peer.connection.fileno() >= 0

    def _fill(self, peer):
        """Read until the expected part of a message is complete; False if more data must come."""
        view = memoryview(peer.data)
        while peer.filled < len(view):
            try:
                got = peer.connection.recv_into(view[peer.filled :])
            except (BlockingIOError, InterruptedError):
                return False
            if not got:
                raise EOFError
            peer.filled += got
        return True

    def _advance(self, peer):
        """Process a complete part of a message: header, then description, then raw bytes."""
        if peer.header is None:
            most = HELLO_LIMIT if peer.rank is None else frames.MOST_DESCRIPTION
            peer.header = frames.decode_header(peer.data, most)
            if peer.rank is None and peer.header[1]:
                raise frames.FrameError("the first message of a rank must not have raw bytes")
            peer.data, peer.filled = bytearray(peer.header[0]), 0
        elif peer.description is None:
            peer.description = frames.decode(peer.data)
            peer.data, peer.filled = bytearray(peer.header[1]), 0
        else:
            message, payload = peer.description, peer.data
            peer.header = peer.description = None
            peer.data, peer.filled = bytearray(frames.HEADER.size), 0
            self._handle(peer, message, payload)

    def _handle(self, peer, message, payload):
        kind = message.get("type")
        if peer.rank is None:
            self._greet(peer, message)
        elif kind == "call":
            self._matcher.call(peer.rank, message, payload, time.monotonic())
        elif kind == "step":
            self._matcher.step(peer.rank, message)
        elif kind == "release":
            self._matcher.release(peer.rank, message)
        elif kind == "sample":
            self._matcher.sample(peer.rank, message["seconds"])
        elif kind == "waits":
            self._start_clock()
        elif kind == "bye":
            peer.reason = message["reason"]
            self._drop(peer)

    def _start_clock(self):
        if self._deadline is None and len(self._peers) < self.size:
            self._deadline = time.monotonic() + self.connect_timeout

    def _greet(self, peer, message):
        token = message.get("token")
        right = isinstance(token, str) and hmac.compare_digest(
            token.encode("utf-8"), self.address.token.encode("utf-8")
        )
        if message.get("type") != "hello" or not right:
            raise frames.FrameError("not a rank of this job")
        rank, size = message.get("rank"), message.get("size")
        refusal = self._refusal_text(rank, size)
        if refusal:
            peer.outgoing.append(memoryview(frames.encode({"type": "refused", "text": refusal})))
            self._write(peer)
            return
        peer.rank = rank
        self._peers[rank] = peer
        self._send(rank, {"type": "greeted"})
        self._shared = self._shared and segments.probe(message.get("probe"), self.address.token)
        if len(self._peers) == self.size:
            self._deadline = None
            for one in range(self.size):
                self._send(one, {"type": "welcome", "shared": self._shared})

    def _refusal_text(self, rank, size):
        if self._failure:
            return self._failure
        if size != self.size:
            return "Rank {} was started with RANK_SIZE {}, rank 0 with {}.".format(
                rank, size, self.size
            )
        if rank in self._peers or not isinstance(rank, int) or not 0 <= rank < self.size:
            return (
                "A second process connected as rank {}. Give every process a RANK_ID of its "
                "own, and every job that runs at the same time a JOB_ID of its own.".format(rank)
            )
        return None

    def _drop(self, peer):
        if not self._is_open(peer):
            return
        self._selector.unregister(peer.connection)
        peer.connection.close()
        if peer.rank is not None:
            self._matcher.leave(peer.rank, peer.reason)

    def _send(self, rank, message, buffers=()):
        peer = self._peers.get(rank)
        if peer is None or not self._is_open(peer):
            return
        size = sum(len(buffer) for buffer in buffers)
        peer.outgoing.append(memoryview(frames.encode(message, size)))
        peer.outgoing.extend(memoryview(buffer) for buffer in buffers if len(buffer))
        self._write(peer)

    def _write(self, peer):
        try:
            while peer.outgoing:
                view = peer.outgoing[0]
                sent = peer.connection.send(view)
                if sent == len(view):
                    peer.outgoing.popleft()
                else:
                    peer.outgoing[0] = view[sent:]
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            return  # the peer has closed the connection; the next read handles that
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if peer.outgoing else 0)
        if self._is_open(peer):
            self._selector.modify(peer.connection, events, peer)


def _quietly(function, *arguments):
    try:
        function(*arguments)
    except OSError:
        pass
