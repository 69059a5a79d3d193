"""`torch.npu.mstx`: marks in a timeline of the profiler. Only their nesting is checked here."""

import contextlib
import itertools

_pushed = []
_open = set()
_numbers = itertools.count(1)


def mark(message="None", stream=None, domain="default"):
    """Mark a moment."""


def range_start(message, stream=None, domain="default"):
    """Begin a range; return its number."""
    number = next(_numbers)
    _open.add(number)
    return number


def range_end(range_id, domain="default"):
    """End a range."""
    _open.discard(range_id)


def range_push(message, stream=None, domain="default"):
    """Begin a nested range; return its depth."""
    _pushed.append(message)
    return len(_pushed) - 1


def range_pop(domain="default"):
    """End the innermost nested range; return its depth."""
    if not _pushed:
        return -1
    _pushed.pop()
    return len(_pushed)


@contextlib.contextmanager
def annotate(message, stream=None, domain="default"):
    """Context manager or decorator that makes a block or each call a range."""
    number = range_start(message, stream, domain)
    try:
        yield
    finally:
        range_end(number, domain)


def mstx_range(message, stream=None, domain="default"):
    """Decorator that makes each call a range."""
    return annotate(message, stream, domain)
