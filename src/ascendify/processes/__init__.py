"""Processes: start several at once, write a log for each, stop all of them when one fails.

This room owns starting, supervising and stopping; it does not know what the processes compute. A
process started here never outlives the run: not its children either, and not even when this
program is killed (see :mod:`ascendify.processes.guard`). Linux and macOS.
"""

from __future__ import annotations

from ascendify.processes.running import Ending, Outcome, Process, is_supported, run_all
from ascendify.processes.tail import Tail, last_lines

__all__ = ["Ending", "Outcome", "Process", "Tail", "is_supported", "last_lines", "run_all"]
