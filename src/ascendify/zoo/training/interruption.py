"""Handle Ctrl-C and SIGTERM: training stops after the current step and saves."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

from ascendify.errors import StoppedError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SAME_SECONDS = 1.0
"""Signals within this time count as one: the terminal and the launcher may both send one."""


class Interruption:
    """Records the first signal while it is open; a later one ends the process at once."""

    def __init__(self) -> None:
        self.signal = 0
        self._noted = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._handle_signal) for number in _SIGNALS
            }
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def error(self, message: str, hint: str) -> StoppedError:
        """Return the error to raise; its exit status is that of a process ended by the signal."""
        return StoppedError(message, hint, 128 + self.signal)

    def request_stop(self, number: int) -> None:
        """Request a stop as if a signal had come."""
        self.signal = self.signal or number

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.signal:
            self.signal, self._noted = number, now
        elif now - self._noted > _SAME_SECONDS:
            raise KeyboardInterrupt
