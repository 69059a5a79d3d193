"""Ctrl-C, and the signal with which schedulers end a job: a wish that training follows in time."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

from ascendify.errors import StoppedError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SAME_SECONDS = 1.0
"""Signals that come so close are one wish: of a terminal, and of the launcher it told as well."""


class Interruption:
    """Notes the first signal while it is open; one that comes later ends the process at once."""

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
        """What to raise; the exit code is what shells report for a process that a signal ended."""
        return StoppedError(message, hint, 128 + self.signal)

    def request_stop(self, number: int) -> None:
        """Note something that ends a run as a signal does, and is none."""
        self.signal = self.signal or number

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.signal:
            self.signal, self._noted = number, now
        elif now - self._noted > _SAME_SECONDS:
            raise KeyboardInterrupt
