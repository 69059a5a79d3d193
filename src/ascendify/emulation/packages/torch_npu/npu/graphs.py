"""`torch.npu`: graphs. A capture runs its operators and records them; a replay runs them again."""

import contextlib
import itertools
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

_handles = itertools.count(1)
_capturing = []


class _Recorder(TorchDispatchMode):
    """Records every operator with its arguments and results."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, result))
        return result


def _run_again(func, args, kwargs, result):
    """Compute a recorded result again, into the same memory."""
    if func.is_view:
        return
    for old, new in zip(tree_flatten(result)[0], tree_flatten(func(*args, **kwargs))[0]):
        if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
            old.copy_(new)


def graph_pool_handle():
    """Return an identifier for memory that graphs share."""
    return next(_handles), 0


def is_current_stream_capturing():
    """Whether a capture is running."""
    return bool(_capturing)


class NPUGraph:
    """A recorded sequence of kernels."""

    def __init__(self, keep_graph=False):
        self._pool = graph_pool_handle()
        self._recorder = None

    def capture_begin(self, pool=None, capture_error_mode="global", **_):
        """Start to record."""
        if _capturing:
            raise RuntimeError("a capture is already running")
        self._pool = pool or self._pool
        self._recorder = _Recorder()
        self._recorder.__enter__()
        _capturing.append(self)

    def capture_end(self):
        """End recording."""
        if not _capturing or _capturing[-1] is not self:
            raise RuntimeError("capture_end() without capture_begin()")
        _capturing.pop()
        self._recorder.__exit__(None, None, None)

    def replay(self):
        """Run the recorded operators on the current values of their tensors."""
        if self._recorder is None or _capturing:
            raise RuntimeError("replay() without a finished capture")
        with torch.no_grad():
            for call in self._recorder.calls:
                _run_again(*call)

    def instantiate(self):
        """Do nothing: every graph can be replayed."""

    def enable_debug_mode(self):
        """Do nothing: the data for `debug_dump` is always stored."""

    def debug_dump(self, debug_path):
        """Write the names of the recorded operators to a file."""
        calls = self._recorder.calls if self._recorder else []
        Path(debug_path).write_text("".join(f"{func}\n" for func, *_ in calls), encoding="utf-8")

    def reset(self):
        """Discard the recorded operators."""
        self._recorder = None

    def pool(self):
        """The memory that the graph uses."""
        return self._pool


@contextlib.contextmanager
def graph(npu_graph, pool=None, stream=None, capture_error_mode="global", **_):
    """Record what runs in the block."""
    npu_graph.capture_begin(pool=pool, capture_error_mode=capture_error_mode)
    try:
        yield
    finally:
        npu_graph.capture_end()


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, **_):
    """Return the callables unchanged."""
    return callables


class NpuGraphOpHandler:
    """Base class of handlers that prepare operators for capture and replay."""

    @classmethod
    def prepare_capture(cls, func, args, kwargs):
        """Return the call to capture."""
        return func, args, kwargs

    @classmethod
    def postprocess_result(cls, result, record=None):
        """Return the result of the captured call."""
        return result


_handlers = {}


def register_npu_graph_handler(op_names):
    """Decorator that registers a class as handler of operators; without effect."""

    def registered(handler):
        if not issubclass(handler, NpuGraphOpHandler):
            raise TypeError(f"{handler.__name__} is no subclass of NpuGraphOpHandler")
        names = [op_names] if isinstance(op_names, str) else op_names
        _handlers.update(dict.fromkeys(names, handler))
        return handler

    return registered
