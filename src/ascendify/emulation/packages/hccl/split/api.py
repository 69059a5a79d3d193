"""Splitting of gradients for the reduction: checked and stored, without effect on results."""

from hccl.manage.api import _check_group

MOST_SEGMENTS = 8
LARGEST_INDEX = 2**32 - 1
_strategies = {}


def set_split_strategy_by_idx(idxList, group="hccl_world_group"):
    """Split after the gradients with these indices."""
    _check_group(group)
    _check_list("idxList", idxList)
    previous = -1
    for index in idxList:
        if not isinstance(index, int) or isinstance(index, bool):
            raise ValueError("idx in idxList must be a python int")
        if not 0 <= index <= LARGEST_INDEX:
            raise ValueError("idx[{}] in idxList is not in [0, {}]".format(index, LARGEST_INDEX))
        if index <= previous:
            raise ValueError("idx in idxList is not ascending")
        previous = index
    _strategies[group] = ("idx", list(idxList))


def set_split_strategy_by_size(dataSizeList, group="hccl_world_group"):
    """Split at these percentages of the gradients' bytes."""
    _check_group(group)
    _check_list("dataSizeList", dataSizeList)
    for size in dataSizeList:
        if not isinstance(size, (int, float)) or isinstance(size, bool):
            raise ValueError("data size in dataSizeList must be a python int or float")
        if size < 0:
            raise ValueError("data size[{}] in dataSizeList is less than 0".format(size))
    if abs(sum(dataSizeList) - 100) > 1e-9:
        raise ValueError("size percentage list sum is not 100%")
    _strategies[group] = ("size", list(dataSizeList))


def _check_list(name, values):
    if not isinstance(values, list):
        raise ValueError("{} must be a python list".format(name))
    if not values:
        raise ValueError("{} length is 0".format(name))
    if len(values) > MOST_SEGMENTS:
        raise ValueError(
            "{} has {} segments, more than {}".format(name, len(values), MOST_SEGMENTS)
        )
