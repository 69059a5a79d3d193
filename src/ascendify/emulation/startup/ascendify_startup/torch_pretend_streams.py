"""Streams and events of the pretended GPU. All work is done at once."""

import itertools
import sys
import threading
import time

from ascendify_startup import torch_pretend_errors, torch_pretend_graphs
from ascendify_startup.torch_pretend_cuda import everywhere
from ascendify_startup.torch_pretend_marks import current, gpu_of

_NUMBERS = itertools.count(1)


def begin():
    """Replace the classes of ``torch.cuda`` and those of ``torch`` that serve any device."""
    import torch

    for name, answer in {
        "Stream": Stream,
        "ExternalStream": ExternalStream,
        "Event": Event,
        "stream": StreamContext,
        "StreamContext": StreamContext,
        "current_stream": current_stream,
        "default_stream": default_stream,
        "set_stream": set_stream,
        "_set_stream_by_id": lambda *args, **kwargs: None,
        "get_stream_from_external": lambda data_ptr, device=None: ExternalStream(data_ptr, device),
    }.items():
        everywhere(torch.cuda, name, answer)
    # the base classes, which programs can use only in some releases
    if hasattr(torch, "Event"):
        torch.Event = Event
        torch.Stream = Stream
    bases = sys.modules.get("torch._streambase")
    for name, answer in (("_StreamBase", Stream), ("_EventBase", Event)):
        if hasattr(getattr(bases, name, None), "register"):
            getattr(bases, name).register(answer)  # torch's compiler requires it
    torch_pretend_graphs.begin()


class _Streams(threading.local):
    """The current stream of each GPU, in this thread."""

    def __init__(self):
        self.of = {}


_CURRENT = _Streams()
_DEFAULT = {}


def _index(device):
    index = gpu_of(device)
    return current() if index is None else index


def default_stream(device=None):
    """Return the default stream of a GPU."""
    index = _index(device)
    if index not in _DEFAULT:
        _DEFAULT[index] = stream = Stream(index)
        stream.cuda_stream = stream.stream_id = 0
    return _DEFAULT[index]


def current_stream(device=None):
    """Return the current stream of a GPU."""
    index = _index(device)
    return _CURRENT.of.get(index) or default_stream(index)


def set_stream(stream):
    """Make a stream the current one of its GPU."""
    if stream is not None:
        _CURRENT.of[stream.device_index] = stream


class Stream(object):
    """A stream, whose queue is always empty."""

    def __init__(self, device=None, priority=0, **kwargs):
        self.device_index = _index(device)
        self.device_type = 1
        self.priority = priority
        self.cuda_stream = self.stream_id = next(_NUMBERS)

    @classmethod
    def priority_range(cls):
        """The lowest and the highest priority."""
        return (0, -5)

    @property
    def device(self):
        """The GPU it belongs to."""
        import torch

        return torch.device("cuda", self.device_index)

    @property
    def native_handle(self):
        """The handle of the stream."""
        return self.cuda_stream

    @property
    def _as_parameter_(self):
        import ctypes

        return ctypes.c_void_p(self.cuda_stream)

    def synchronize(self):
        """Return at once: all work is done."""

    def wait_stream(self, stream):
        """Return at once: all work is done."""

    def wait_event(self, event):
        """Return at once: all work is done."""

    def record_event(self, event=None):
        """Record an event now and return it."""
        event = event or Event()
        event.record(self)
        return event

    def query(self):
        """Whether all work is done: always."""
        return True

    def is_capturing(self):
        """Whether a CUDA graph is being captured."""
        return torch_pretend_graphs.is_capturing()

    def __eq__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.stream_id, self.device_index) == (other.stream_id, other.device_index)

    def __hash__(self):
        return hash((self.stream_id, self.device_index))

    def __repr__(self):
        return "<torch.cuda.Stream device=cuda:%d cuda_stream=%#x>" % (
            self.device_index,
            self.cuda_stream,
        )

    def __enter__(self):
        self._before = current_stream(self.device_index)
        set_stream(self)
        return self

    def __exit__(self, *error):
        set_stream(self._before)
        return False


class ExternalStream(Stream):
    """A stream made by another library."""

    def __init__(self, stream_ptr=0, device=None, **kwargs):
        super(ExternalStream, self).__init__(device)
        self.cuda_stream = self.stream_id = stream_ptr


class StreamContext(object):
    """``with torch.cuda.stream(s):``, on the GPU of the stream; None changes nothing."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is None:
            return
        from ascendify_startup.torch_pretend_cuda import DeviceContext

        self._device = DeviceContext(self.stream.device_index)
        self._device.__enter__()
        self._before = current_stream()
        set_stream(self.stream)

    def __exit__(self, *error):
        if self.stream is not None:
            set_stream(self._before)
            self._device.__exit__()
        return False


class Event(object):
    """An event, which stores a time."""

    def __init__(self, *args, **kwargs):
        flags = [one for one in args if isinstance(one, bool)]
        self._timed = kwargs.get("enable_timing", flags[0] if flags else False)
        self._time = None
        self.cuda_event = self.event_id = next(_NUMBERS)

    @property
    def device(self):
        """The GPU it belongs to."""
        import torch

        return torch.device("cuda", current())

    def record(self, stream=None):
        """Store the current time."""
        self._time = time.perf_counter()

    def wait(self, stream=None):
        """Return at once: all work is done."""

    def synchronize(self):
        """Return at once: all work is done."""

    def query(self):
        """Whether the event has happened: always."""
        return True

    def elapsed_time(self, end_event):
        """Return the milliseconds until another event."""
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1000.0

    def ipc_handle(self):
        """Raise an error: events cannot be shared between processes."""
        raise torch_pretend_errors.refusal("torch.cuda.Event.ipc_handle")

    @classmethod
    def from_ipc_handle(cls, device, handle):
        """Raise an error: events cannot be shared between processes."""
        raise torch_pretend_errors.refusal("torch.cuda.Event.from_ipc_handle")
