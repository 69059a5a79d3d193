"""A stand-in for Horovod, behind everything else, for machines that have none."""

import os
import sys

from ascendify_startup.process_rank import rank

VARIABLE = "ASCENDIFY_HOROVOD"


def begin(folder):
    """Let programs find the stand-in where they find no Horovod of the user's."""
    sys.path.append(folder)


def record_use(recorder):
    """Record, once for all ranks, when it was the stand-in that was imported."""
    found = getattr(sys.modules["horovod"], "__file__", None) or ""
    folder = os.environ.get(VARIABLE)
    if folder and found.startswith(folder + os.sep) and rank() == 0:
        text = "it ran on ascendify's stand-in for Horovod"
        recorder.write({"source": "note", "text": text})
