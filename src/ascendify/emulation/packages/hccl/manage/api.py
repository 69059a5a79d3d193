"""Ranks and groups of the job, with the checks and error texts of HCCL."""

from ascendify_runtime import findings
from ascendify_runtime.comm.groups import LONGEST_NAME
from ascendify_runtime.world import world

_NOT_READY = 2
_NOT_FOUND = 6
_NOT_INITIALISED = (
    "HCCL is not initialised. Call this after npu_ops.initialize_system() was run in a session, "
    "after init_resource(), or in a session that runs collectives"
)


def create_group(group, rank_num, rank_ids):
    """Name a set of ranks; every member must do so."""
    _check_group(group)
    _check_int("rank_num", rank_num)
    if rank_num <= 0:
        raise ValueError("rank_num[{}] is less than 0 or equal to 0".format(rank_num))
    if not isinstance(rank_ids, list):
        raise ValueError("rank_ids must be a python list")
    if rank_num != len(rank_ids):
        raise ValueError(
            "rank_num[{}] not equal to rank_ids len[{}].".format(rank_num, len(rank_ids))
        )
    for rank in rank_ids:
        _check_rank("rank_id", rank)
    try:
        _initialised().create_group(group, rank_ids)
    except ValueError as error:
        raise ValueError("create group error:{} ({})".format(group, error))


def destroy_group(group):
    """Forget a group."""
    _check_group(group)
    try:
        _initialised().destroy_group(group)
    except ValueError as error:
        raise ValueError("destroy group error :{} ({})".format(group, error))


def get_rank_size(group="hccl_world_group"):
    """The number of ranks of a group."""
    return len(_members(group, "rank size"))


def get_rank_id(group="hccl_world_group"):
    """The number of this rank in a group."""
    return _own(group, "rank id", lambda members: members)


def get_local_rank_size(group="hccl_world_group"):
    """The number of ranks of a group on this server."""
    return len(_here(_members(group, "local rank size")))


def get_local_rank_id(group="hccl_world_group"):
    """The number of this rank among those of a group on this server."""
    if group == "hccl_world_group":
        _members(group, "local rank id")
        return world().local_rank
    return _own(group, "local rank id", _here)


def get_world_rank_from_group_rank(group, group_rank_id):
    """The number in the job of a rank of a group."""
    _check_group(group)
    _check_rank("group_rank_id", group_rank_id)
    members = _members(group, "world rank from group rank")
    if group_rank_id >= len(members):
        raise _error("world rank from group rank", _NOT_FOUND, "the group has no such rank")
    return members[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id, group):
    """The number in a group of a rank of the job."""
    _check_rank("world_rank_id", world_rank_id)
    members = _members(group, "group rank from world rank")
    if world_rank_id not in members:
        raise _error("group rank from world rank", _NOT_FOUND, "the rank is not in the group")
    return members.index(world_rank_id)


def _own(group, what, choose):
    members = choose(_members(group, what))
    if world().rank not in members:
        raise _error(what, _NOT_FOUND, "this rank is not in group {}".format(group))
    return members.index(world().rank)


def _here(members):
    devices = world().devices
    return [rank for rank in members if devices[rank][0] == devices[world().rank][0]]


def _members(group, what):
    _check_group(group)
    if not world().initialised:
        findings.record_early_query(what)
        raise _error(what, _NOT_READY, _NOT_INITIALISED)
    try:
        return list(world().group(group))
    except ValueError as error:
        raise _error(what, _NOT_FOUND, str(error))


def _initialised():
    if not world().initialised:
        raise ValueError(_NOT_INITIALISED)
    return world()


def _error(what, code, why):
    return ValueError("get {} error. ret[{}] ({})".format(what, code, why))


def _check_group(group):
    if not isinstance(group, str):
        raise ValueError("group must be a python str")
    if not group:
        raise ValueError("group name is empty.")
    if len(group) > LONGEST_NAME:
        raise ValueError("group name is invalid. group: {}".format(group))


def _check_int(name, value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("{} must be a python int".format(name))


def _check_rank(name, rank):
    _check_int(name, rank)
    if rank < 0:
        raise ValueError("{}[{}] is less than 0".format(name, rank))
