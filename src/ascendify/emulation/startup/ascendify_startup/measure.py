"""Measures a training that knows nothing of it: when each step ended, how many samples it had.

One file a rank, ``measure-<rank>.jsonl``, one JSON object a line. Nothing here may cost the user
the program: an error of ours is told once, and measuring ends.
"""

import atexit
import functools
import sys
import time

from ascendify_startup import import_hooks, keras_modules
from ascendify_startup.measure_writer import Writer

LOSS_SECONDS = 1.0
"""How often a loss is read that is still on the device: reading it makes the program wait."""


def begin(folder):
    """Measure into this folder, from the moment the frameworks are imported."""
    meter = Meter(Writer(folder))
    import_hooks.after("tensorflow", functools.partial(_part, "measure_sessions", meter))
    import_hooks.after("torch", functools.partial(_part, "measure_torch", meter))
    import_hooks.after(
        "torch.utils.data.dataloader", functools.partial(_part, "measure_loaders", meter)
    )
    import_hooks.after(
        "tensorflow_estimator.python.estimator.estimator",
        functools.partial(_part, "measure_estimators", meter),
    )
    for name in keras_modules.ALL:
        import_hooks.after(name, functools.partial(_part, "measure_keras", meter, name))


def _part(name, *arguments):
    module = __import__("ascendify_startup.%s" % name, fromlist=["begin"])
    module.begin(*arguments)


class Meter(object):
    """Counts the steps of this process and takes their times.

    A step lasts from the end of the one before, because preparing its data is part of it. What
    lies between two steps and is no training, such as an evaluation, begins the time anew.
    """

    def __init__(self, writer):
        self._writer = writer
        self._steps = 0
        self._samples = 0
        self._first = None
        self._since = None
        self._loss_read = None
        self.last_loss = None
        """What gives the loss of the last step, where it has not been read."""
        self.stopped = False
        self.fitting = 0
        """Depth of loops that tell their batches themselves."""
        self.evaluating = 0
        """Depth of calls whose steps train nothing."""

    def safely(self, action, *arguments):
        """Do something of ours; what goes wrong is told once and ends the measuring."""
        if self.stopped:
            return None
        try:
            return action(*arguments)
        except Exception as error:
            self.stopped = True
            sys.stderr.write("ascendify: measuring has ended: %r\n" % (error,))
            return None

    def begin(self):
        """What follows belongs to the next step."""
        self._since = time.perf_counter()

    def waiting(self):
        """Whether nobody has said when the next step begins."""
        return self._since is None

    def step(self, started=None, count=1, samples=None, loss=None, accuracy=None):
        """A step has ended, or several at once, each with so many samples."""
        now = time.perf_counter()
        since = started if self._since is None else self._since
        self._since = now
        if self._first is None:
            self._first = now if since is None else since
            # by now the frameworks have said how they end: what is registered later comes before
            atexit.register(self.end)
        self._steps += count
        self._samples += count * (samples or 0)
        seconds = None if since is None else (now - since) / count
        self._write("step", seconds, samples, loss, accuracy)

    def loss_is_due(self):
        """Whether a loss that costs time to read may be read again."""
        now = time.perf_counter()
        if self._loss_read is not None and now - self._loss_read < LOSS_SECONDS:
            return False
        self._loss_read = now
        return True

    def epoch(self, seconds=None, loss=None, accuracy=None):
        """An epoch has ended."""
        self._write("epoch", seconds, None, loss, accuracy)

    def evaluation(self, seconds=None, loss=None, accuracy=None):
        """An evaluation has ended; it is no part of the next step."""
        self._since = None
        self._write("eval", seconds, None, loss, accuracy)

    def end(self):
        """The process ends."""
        self.safely(self._end)

    def _end(self):
        if self._steps and self._writer.is_ours():
            seconds = time.perf_counter() - self._first
            self._writer.flush()
            loss = None if self.last_loss is None else self.last_loss()
            self._write("end", seconds, self._samples or None, loss, None)
            self._writer.flush()

    def _write(self, event, seconds, samples, loss, accuracy):
        self._writer.add((time.time(), event, self._steps, seconds, samples, loss, accuracy))


def number(value):
    """A number as Python has it, None for what is no single number."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def name_containing(names, *parts):
    """The name that has the first of some words in it, the shortest of several; None for none."""
    for part in parts:
        for name in sorted(names, key=len):
            if part in name.lower():
                return name
    return None


def number_in(values, *parts):
    """The number whose name has the first of some words in it."""
    return number(values.get(name_containing(values, *parts)))
