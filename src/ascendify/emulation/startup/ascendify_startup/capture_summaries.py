"""Capture scalar summaries as they are written, and the paths of checkpoints."""

import functools
import os
import re

SPEED = re.compile(
    r"fraction_(of|over)_\d+|/sec$|per_sec|_secs?$|seconds|(^|[/_])(time|speed|throughput|fps)($|[/_])",
    re.I,
)
"""Tags of values that differ in every run, such as speeds."""


def begin(recorder, state):
    """Watch event writers and savers."""
    from tensorflow.python.summary.writer import event_file_writer
    from tensorflow.python.training import saver

    for name in ("EventFileWriter", "EventFileWriterV2"):
        if hasattr(event_file_writer, name):
            _watch_writer(recorder, state, getattr(event_file_writer, name))
    _watch_saver(recorder, saver.Saver)


def _watch_writer(recorder, state, cls):
    original = cls.add_event

    @functools.wraps(original)
    def add_event(self, event):
        # The results of an evaluation are recorded by the part that wraps it.
        if event.HasField("summary") and not state.evaluating:
            for value in event.summary.value:
                number = _scalar(value)
                if number is not None and not SPEED.search(value.tag):
                    recorder.value("summary", value.tag, number, event.step)
        return original(self, event)

    cls.add_event = add_event


def _scalar(value):
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return value.simple_value
    if kind == "tensor":
        from tensorflow.python.framework import tensor_util

        array = tensor_util.MakeNdarray(value.tensor)
        if array.ndim == 0 and array.dtype.kind == "f":
            return float(array)
    return None


def _watch_saver(recorder, cls):
    original = cls.save

    @functools.wraps(original)
    def save(self, *args, **kwargs):
        path = original(self, *args, **kwargs)
        if path:
            record_checkpoint(recorder, path)
        return path

    cls.save = save


def record_checkpoint(recorder, path):
    """Record the path of a checkpoint."""
    text = path.decode() if isinstance(path, bytes) else str(path)
    recorder.write({"source": "checkpoint", "path": os.path.abspath(text)})
