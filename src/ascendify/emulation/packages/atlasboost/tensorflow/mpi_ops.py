"""Rank and size, named as in MPI."""

import os

from ascendify_runtime.world import world


def init():
    """Join the job."""
    world().initialise()


def rank():
    """The number of this rank in the job."""
    return _initialised().rank


def size():
    """The number of ranks of the job."""
    return _initialised().size


def local_rank():
    """The number of this rank on its server."""
    return _initialised().local_rank


def set_device_id(device_id):
    """Choose the device of this process."""
    if not isinstance(device_id, int) or device_id < 0:
        raise ValueError("device_id is {!r}; it must be an int from 0".format(device_id))
    os.environ["ASCEND_DEVICE_ID"] = str(device_id)


def _initialised():
    if not world().initialised:
        raise ValueError("atlasboost has not been initialised; call init() first")
    return world()
