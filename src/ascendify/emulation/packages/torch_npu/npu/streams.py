"""`torch.npu`: streams and events. Kernels run at once, so events are moments of the wall clock."""

import itertools
import time

import torch

from torch_npu._device.devices import index_of, initialise, state
from torch_npu.npu.graphs import is_current_stream_capturing

_DEVICE_TYPE = int(torch._C._autograd.DeviceType.PrivateUse1)
_numbers = itertools.count(1)


_StreamBase = _EventBase = object
if hasattr(torch, "_streambase"):
    # if torch has these classes (2.3 and 2.4), its compiler accepts no others
    from torch._streambase import _EventBase, _StreamBase


class Stream(_StreamBase):
    """A stream. Kernels are done when the call that starts them returns."""

    device_type = _DEVICE_TYPE

    def __init__(self, device=None, priority=0, *, stream_id=None, device_index=None, **_):
        initialise()
        index = device_index if device_index is not None else index_of(device)
        self.device = torch.device("npu", index)
        self.priority = priority
        self.stream_id = next(_numbers) if stream_id is None else stream_id

    @property
    def npu_stream(self):
        """A number in place of the pointer of the stream."""
        return self.stream_id

    @property
    def device_index(self):
        """The index of the stream's device."""
        return self.device.index

    @staticmethod
    def priority_range():
        """Return the lowest and the highest priority; priorities have no effect."""
        return 0, -1

    def wait_event(self, event):
        """Make later kernels wait for an event; nothing to do here."""

    def wait_stream(self, stream):
        """Make later kernels wait for another stream; nothing to do here."""

    def record_event(self, event=None):
        """Record an event, a new one unless one is given."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def is_capturing(self):
        """Whether a graph is being captured: the emulation captures in all streams at once."""
        return is_current_stream_capturing()

    def query(self):
        """Whether all work is done: always."""
        return True

    def synchronize(self):
        """Return at once: all work is done."""

    def set_data_preprocess_stream(self, is_data_preprocess_stream=False):
        """Mark the stream as one that prepares data; without effect."""
        self.is_data_preprocess_stream = bool(is_data_preprocess_stream)

    def __enter__(self):
        self._context = StreamContext(self)
        return self._context.__enter__()

    def __exit__(self, *failure):
        return self._context.__exit__(*failure)

    def __eq__(self, other):
        return isinstance(other, Stream) and _identity(self) == _identity(other)

    def __hash__(self):
        return hash(_identity(self))

    def __repr__(self):
        return f"<torch_npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


def _identity(stream):
    return stream.device, stream.stream_id


class ExternalStream(Stream):
    """A stream made by another library, identified by its pointer."""

    def __init__(self, stream_ptr, device=None, **_):
        super().__init__(device, stream_id=stream_ptr)


class SyncLaunchStream(Stream):
    """A stream whose kernels are launched one after another, as in all streams here."""


_BETWEEN_PROCESSES = (
    "Events between processes are not emulated: a process has no handle on another's device; use "
    "torch.distributed.barrier() to order two ranks"
)


class Event(_EventBase):
    """An event in a stream, which stores a time."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            self.ipc_handle()
        self.enable_timing = enable_timing
        self.blocking = blocking
        self._number = 0
        self._moment = None

    @property
    def npu_event(self):
        """A number in place of the pointer of the event; 0 until it is recorded."""
        return self._number

    @property
    def device(self):
        """The device of the event; None until it is recorded."""
        return torch.device("npu", state.index) if self._number else None

    def ipc_handle(self):
        """Raise an error: events cannot be shared between processes."""
        raise NotImplementedError(_BETWEEN_PROCESSES)

    @classmethod
    def from_ipc_handle(cls, device, handle):
        """Raise an error: events cannot be shared between processes."""
        raise NotImplementedError(_BETWEEN_PROCESSES)

    def record(self, stream=None):
        """Store the current time."""
        initialise()
        self._number = self._number or next(_numbers)
        self._moment = time.perf_counter()

    def wait(self, stream=None):
        """Make a stream wait for this event; nothing to do here."""

    def query(self):
        """Whether all work before the event is done: always."""
        return True

    def synchronize(self):
        """Return at once: all work before the event is done."""

    def elapsed_time(self, end_event):
        """Milliseconds from this event to another."""
        for event in (self, end_event):
            if not event.enable_timing:
                raise RuntimeError(
                    "Both events must be created with argument 'enable_timing=True'."
                )
            if event._moment is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1e3

    def recorded_time(self):
        """When the event was recorded, in microseconds."""
        if self._moment is None:
            raise RuntimeError("The event must be recorded before its time is read.")
        return int(self._moment * 1e6)

    def __repr__(self):
        return (
            f"<torch_npu.npu.Event {self.npu_event:#x}>"
            if self.npu_event
            else ("<torch_npu.npu.Event uninitialized>")
        )


class ExternalEvent(Event):
    """An event that streams can wait for before it is recorded."""

    def reset(self, stream=None):
        """Reset the event, so that it can be recorded again."""
        self._moment = None


_current = {}
_default = {}


def default_stream(device=None):
    """Return the default stream of a device."""
    index = index_of(device)
    if index not in _default:
        _default[index] = Stream(index, stream_id=0)
    return _default[index]


def current_stream(device=None):
    """Return the current stream of a device."""
    return _current.get(index_of(device)) or default_stream(device)


def set_stream(stream):
    """Make a stream the current one."""
    if stream is not None:
        _current[stream.device_index] = stream


class StreamContext:
    """Context manager that makes another stream current; None changes nothing."""

    def __init__(self, stream):
        self.stream = stream
        self._before = None

    def __enter__(self):
        if self.stream is not None:
            self._before = current_stream(state.index)
            set_stream(self.stream)

    def __exit__(self, *_):
        if self._before is not None:
            set_stream(self._before)
        return False


def stream(stream):
    """Context manager that makes another stream current."""
    return StreamContext(stream)
