"""Find in a log whether a failure is ascendify's own, and shorten PyTorch's longest messages.

``ascendify_startup.plain_errors`` does the same inside the failing process, for errors that Python
prints. This module does it for messages that other code writes to the log. The two share no code,
because ascendify need not be installed in the user's interpreter; a test compares their patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ascendify.emulation.paths import HOROVOD, PACKAGES, STARTUP

INTRODUCTION = "ascendify: this failure is ascendify's own, not your project's"
"""First line of an error that the user cannot fix, only report."""
REPORT = (
    "this failure is ascendify's own, not your project's: please report it with the log, the "
    "release of PyTorch or TensorFlow and its build, and what ascendify --version says"
)
_FRAME = re.compile(r'\s*File "(.+)", line \d+')
_RAISED = re.compile(r"(?:[\w.]+\.)?([A-Z]\w*)(?:: |$)")
_ACCIDENTS = frozenset(
    {"AttributeError", "KeyError", "AssertionError", "NameError", "UnboundLocalError"}
    | {"ImportError"}
)
"""Errors that mistakes in our own code raise. Where a stand-in refuses something as the device
does, the traceback ends in a ``raise`` statement; other types come from PyTorch, for wrong
arguments of the user's program."""
_MISSING = re.compile(r"(?:has no attribute|^NameError: name) '(\w+)'")
"""What messages say of an attribute or a name that does not exist."""
_INTERNAL = "INTERNAL ASSERT FAILED"
"""PyTorch's message for a state it never expects; an emulated device can cause such a state."""
_STARTUP_FAILED = ("ascendify: after import of ", "ascendify: nothing is captured or measured ")
"""How the messages of our start-up code begin when it stops; the user's program continues."""
_GENERATED = "<npu kernel"
"""The file name in tracebacks of kernels that the stand-in for torch_npu generates."""
_NO_KERNEL = re.compile(
    r"(Could not run '[^']+' with arguments from the '\w+' backend\.) .*"
    r"is only available for these backends: \[([^\]]*)\]?\.?"
)
_NO_TENSORS = re.compile(
    r"(There were no tensor arguments to this function).*Available functions.*"
)
_REGISTRATION = re.compile(r"^\w+: (fallthrough )?registered at .+\[[\w ]+\]$")
_DEVICES = ("CPU", "CUDA", "HIP", "MPS", "XPU", "XLA", "SparseCUDA", "QuantizedCUDA")
"""The names in PyTorch's list that are devices, or kinds of tensors on a device."""


@dataclass(frozen=True)
class _Frame:
    path: str
    source: str
    """The line of code, if the traceback shows it."""


def without_dispatch_keys(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without PyTorch's list of the dispatch keys an operator is registered for."""
    for line in lines:
        if not _REGISTRATION.match(line):
            yield _without_keys(line)


def _without_keys(line: str) -> str:
    found = _NO_KERNEL.search(line)
    if found is not None:
        listed = [name for name in re.findall(r"\w+", found[2]) if name in _DEVICES]
        where = f"PyTorch has this operator only for {', '.join(listed)}." if listed else ""
        return f"{line[: found.end(1)]} {where or 'This build of PyTorch has it for no device.'}"
    found = _NO_TENSORS.search(line)
    return line if found is None else f"{line[: found.end(1)]}."


def startup_failure(lines: Iterable[str]) -> str:
    """Return the line with which our start-up code reported its own failure, or an empty text."""
    return next((line.strip() for line in lines if line.startswith(_STARTUP_FAILED)), "")


def is_ours(lines: Sequence[str]) -> bool:
    """Whether the last traceback shows a mistake in our code, not an intended refusal."""
    frames, raised = _last_traceback(lines)
    if any(_INTERNAL in line for line in raised):
        return any(_is_our_file(frame.path) for frame in frames)
    if not frames or not _is_our_file(frames[-1].path):
        return False
    kind = _RAISED.match(raised[0]) if raised else None
    accident = kind is not None and kind[1] in _ACCIDENTS
    source = frames[-1].source
    return accident and not source.startswith("raise") and _may_raise(source, raised[0])


def _may_raise(source: str, raised: str) -> bool:
    """Whether a line can be where an error began, as the end of its traceback says.

    Keras takes the frames of TensorFlow out of tracebacks, so that a line of ours which only calls
    the user's model stands last. An attribute or name that is missing is then not in the line.
    """
    missing = _MISSING.search(raised) if source else None
    return missing is None or missing[1] in source


def _last_traceback(lines: Sequence[str]) -> tuple[list[_Frame], list[str]]:
    """Return the frames of the last traceback, and the lines of its error."""
    frames: list[_Frame] = []
    raised: list[str] = []
    for number, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is not None:
            if raised:
                frames, raised = [], []
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            frames.append(_Frame(frame[1], "" if _FRAME.match(f" {following}") else following))
        elif line.strip() and not line[0].isspace() and frames:
            raised.append(line)
    return frames, raised


def _is_our_file(path: str) -> bool:
    return path.startswith((str(PACKAGES), str(STARTUP), str(HOROVOD), _GENERATED))
