"""Which of several processes this one is, by what the common launchers say."""

import os

LAUNCHERS = ("HOROVOD_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
"""Set by a launcher of the user's, which starts several processes with one environment of ours."""


def rank():
    """The rank, 0 where no launcher says otherwise."""
    for name in (*LAUNCHERS, "RANK_ID"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return 0
