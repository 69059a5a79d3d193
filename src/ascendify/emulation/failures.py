"""Why a script failed under emulation, where its last words tell."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

OLDEST_PYTHON = (3, 6)
"""The oldest interpreter the stand-ins run on."""
CONSEQUENCE = re.compile(r"^([\w.]+: )?([\w.]+\.)?CollectiveError\b")
"""What a rank says that fails only because another has gone, TensorFlow's words before it."""

_OTHER_VERSION = (
    "the script is written for TensorFlow 1 and the interpreter has version 2; "
    "name one with TensorFlow 1.15"
)
_NO_STAND_IN = "there is no stand-in for this package; only TensorFlow 1 scripts can be emulated"
_BY_LAST_WORDS: tuple[tuple[str, str], ...] = (
    (
        r"No module named '?tensorflow'?$",
        "the interpreter has no TensorFlow; name one that has, such as venv/bin/python",
    ),
    (r"No module named '?tensorflow\.contrib", _OTHER_VERSION),
    (r"module '?tensorflow\S* has no attribute '(contrib|[A-Z]\w*|placeholder)", _OTHER_VERSION),
    (
        r"No module named '?(npu_bridge|hccl|ascendify_runtime)\b",
        "the stand-ins were not found: whatever sets PYTHONPATH must keep what is in it",
    ),
    (r"No module named '?(npu_device|torch_npu)\b", _NO_STAND_IN),
    (
        r"No module named '?horovod\b",
        "Horovod does not run on NPUs; ascendify check tells what is left to migrate",
    ),
    (
        r"No module named '?numpy'?$",
        "the interpreter has no packages; name that of your environment",
    ),
)
_BY_SIGNAL = {
    signal.SIGKILL: "something else killed it; most often the machine has run out of memory",
    signal.SIGILL: "its TensorFlow needs instructions this CPU lacks; take a build without AVX",
}


def explain(last_lines: Sequence[str], ended_by: int | None) -> str:
    """What to do about a failure; empty when only the script itself can tell."""
    if ended_by is not None:
        return _BY_SIGNAL.get(signal.Signals(ended_by), "") if _is_known(ended_by) else ""
    for line in reversed(last_lines):
        for pattern, advice in _BY_LAST_WORDS:
            if re.search(pattern, line.strip()):
                return advice
    return ""


def is_consequence(last_lines: Sequence[str]) -> bool:
    """Whether a rank failed only because another had gone."""
    return any(CONSEQUENCE.match(line) for line in last_lines)


def _is_known(number: int) -> bool:
    return number in {each.value for each in signal.Signals}
