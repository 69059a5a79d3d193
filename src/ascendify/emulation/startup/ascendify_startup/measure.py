"""Measure the training of an unchanged program: when each step ended, how many samples it had.

Each rank writes a file ``measure-<rank>.jsonl`` with one JSON object per line. An error in this
code never stops the user's program: it is printed once, and measuring stops.
"""

import atexit
import functools
import sys
import time

from ascendify_startup import import_hooks, keras_modules
from ascendify_startup.measure_writer import Writer

LOSS_SECONDS = 1.0
"""Seconds between two reads of a loss on the device: a read makes the program wait."""


def begin(folder):
    """Measure into this folder, from the moment the frameworks are imported."""
    meter = Meter(Writer(folder))
    import_hooks.after("tensorflow", functools.partial(_part, "measure_sessions", meter))
    import_hooks.after("tensorflow", functools.partial(_eager_part, meter))
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


def _eager_part(meter):
    import tensorflow

    if not tensorflow.__version__.startswith("1."):
        _part("measure_eager", meter)


class Meter(object):
    """Counts the steps of this process and measures their times.

    A step begins at the end of the step before, because preparing its data is part of it. After
    anything that is no training, such as an evaluation, the time starts again.
    """

    def __init__(self, writer):
        self._writer = writer
        self._steps = 0
        self._samples = 0
        self._first = None
        self._since = None
        self._loss_read = None
        self.last_loss = None
        """Function that returns the loss of the last step, if it has not been read."""
        self.stopped = False
        self.fitting = 0
        """Depth of loops whose batches are measured by a callback."""
        self.evaluating = 0
        """Depth of calls that only evaluate."""

    def safely(self, action, *arguments):
        """Run code of ours; an error is printed once and stops the measuring."""
        if self.stopped:
            return None
        try:
            return action(*arguments)
        except Exception as error:
            self.stopped = True
            sys.stderr.write("ascendify: measuring has stopped: %r\n" % (error,))
            return None

    def begin(self):
        """Start the time of the next step."""
        self._since = time.perf_counter()

    def waiting(self):
        """Whether the beginning of the next step is not known yet."""
        return self._since is None

    def step(self, started=None, count=1, samples=None, loss=None, accuracy=None):
        """Write the end of a step, or of ``count`` steps at once, each with ``samples`` samples."""
        now = time.perf_counter()
        since = started if self._since is None else self._since
        self._since = now
        if self._first is None:
            self._first = now if since is None else since
            # the frameworks have registered their exit functions by now; this one runs before them
            atexit.register(self.end)
        self._steps += count
        self._samples += count * (samples or 0)
        seconds = None if since is None else (now - since) / count
        self._write("step", seconds, samples, loss, accuracy)

    def loss_is_due(self):
        """Whether it is time to read a loss again, which makes the program wait."""
        now = time.perf_counter()
        if self._loss_read is not None and now - self._loss_read < LOSS_SECONDS:
            return False
        self._loss_read = now
        return True

    def epoch(self, seconds=None, loss=None, accuracy=None):
        """Write the end of an epoch."""
        self._write("epoch", seconds, None, loss, accuracy)

    def evaluation(self, seconds=None, loss=None, accuracy=None):
        """Write the end of an evaluation; its time is no part of the next step."""
        self._since = None
        self._write("eval", seconds, None, loss, accuracy)

    def end(self):
        """Write the totals when the process exits."""
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
    """Convert to a float; None if it is no single number."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def name_containing(names, *parts):
    """Return the shortest name that contains the first part, else the next part; or None."""
    for part in parts:
        for name in sorted(names, key=len):
            if part in name.lower():
                return name
    return None


def number_in(values, *parts):
    """Return the number whose name ``name_containing`` finds."""
    return number(values.get(name_containing(values, *parts)))
