"""Messages on a socket: a fixed header, a description in JSON, raw bytes.

Received data is never executed or unpickled. A description is small; arrays are sent as the raw
bytes after it.
"""

import json
import struct

MAGIC = b"ASCY"
HEADER = struct.Struct("!4sIQ")
"""Magic, length of the description, length of the raw bytes."""
MOST_DESCRIPTION = 64 << 20


class FrameError(Exception):
    """The received data is not a message of this protocol."""


def encode(message, payload_bytes=0):
    """Return header and description of a message; ``payload_bytes`` raw bytes follow it."""
    text = json.dumps(message, separators=(",", ":")).encode("utf-8")
    return HEADER.pack(MAGIC, len(text), payload_bytes) + text


def decode_header(header, most=MOST_DESCRIPTION):
    """Return the lengths of the description and of the raw bytes that follow the header."""
    magic, description, payload = HEADER.unpack(bytes(header))
    if magic != MAGIC or description > most:
        raise FrameError("not a message of this job")
    return description, payload


def decode(text):
    """Return the description of a message."""
    try:
        return json.loads(bytes(text).decode("utf-8"))
    except ValueError as error:
        raise FrameError(str(error))


def send(socket, message, buffers=()):
    """Write one message to a blocking socket."""
    views = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
    socket.sendall(encode(message, sum(len(view) for view in views)))
    for view in views:
        socket.sendall(view)


def receive(socket):
    """Read one message from a blocking socket: description and raw bytes."""
    description, payload = decode_header(_exactly(socket, HEADER.size))
    return decode(_exactly(socket, description)), _exactly(socket, payload)


def _exactly(socket, count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        got = socket.recv_into(view)
        if not got:
            raise EOFError
        view = view[got:]
    return data
