"""What a strict run has shown to be in order: lines whose operators ran, feeds, sessions.

Findings say what a device would refuse. That a finding is missing proves something only for code
that ran; this module records which did.
"""

from ascendify_runtime import findings

_MOST_OPERATORS = 20000
"""Operators whose lines are read; those of larger graphs repeat the same layers."""

_operators = {}
"""id -> operator of a graph that was run."""
_feeds = {}
"""id of a placeholder -> [placeholder, the shapes it was fed, how often]."""
_sessions = {}
"""(path, line) that opened sessions -> whether all of them were closed."""


def note_run(run):
    """Remember the operators of a run."""
    for operator in run.operators:
        if len(_operators) >= _MOST_OPERATORS:
            return
        _operators[id(operator)] = operator


def note_feeds(items):
    """Remember the shapes that placeholders are fed: pairs of a tensor and a shape."""
    for tensor, shape in items:
        known = _feeds.get(id(tensor))
        if known is None:
            known = _feeds[id(tensor)] = [tensor, set(), 0]
        known[1].add(shape)
        known[2] += 1


def note_session(place, closed):
    """Remember whether a session that was opened at a place was closed."""
    if place is not None:
        _sessions[place] = _sessions.get(place, True) and closed


def write():
    """Record what is known of this process, when it exits."""
    lines = {}
    for operator in _operators.values():
        place = findings.user_place(operator)
        if place is not None:
            lines.setdefault(place[0], set()).add(place[1])
    feeds = []
    for tensor, shapes, runs in _feeds.values():
        place = findings.user_place(tensor.op)
        if place is not None:
            feeds.append([place[0], place[1], len(shapes), runs])
    shown = {
        "lines": {path: sorted(numbers) for path, numbers in lines.items()},
        "feeds": sorted(feeds),
        "sessions": sorted([path, line, closed] for (path, line), closed in _sessions.items()),
    }
    findings.write({"shown": shown})
