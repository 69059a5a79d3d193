"""Queries of rank and size."""

import ctypes

from hccl.manage import api


def c_str(string):
    """Return a C string."""
    return ctypes.c_char_p(string.encode("utf-8"))


def get_actual_rank_size(group="hccl_world_group"):
    """The number of ranks that are in the group."""
    return api.get_rank_size(group)


def get_user_rank_size():
    """The number of ranks of the job."""
    return api.get_rank_size()


def get_user_rank_id():
    """The rank of this process in the job."""
    return api.get_rank_id()
