"""Add the stand-in for Horovod at the end of the search path, for machines without Horovod."""

import os
import sys

from ascendify_startup.process_rank import rank

VARIABLE = "ASCENDIFY_HOROVOD"


def begin(folder):
    """Let programs find the stand-in if no Horovod is installed."""
    sys.path.append(folder)


def record_use(recorder):
    """Record on rank 0 that the program imported the stand-in."""
    found = getattr(sys.modules["horovod"], "__file__", None) or ""
    folder = os.environ.get(VARIABLE)
    if folder and found.startswith(folder + os.sep) and rank() == 0:
        text = "it ran on ascendify's stand-in for Horovod"
        recorder.write({"source": "note", "text": text})
