"""Which sets of ranks can form a group on the device."""

import numpy as np

from ascendify_runtime import hardware

from . import wording
from .errors import CollectiveError

WORLD_GROUP = "hccl_world_group"
LONGEST_NAME = 127
MOST_RANKS = 32768


def model():
    """The model that is stood in for: an Atlas training server unless ASCENDIFY_SOC says more."""
    return hardware.model("910A")


def check(name, ranks, size, devices):
    """ValueError when these ranks cannot be a group of this name."""
    if not isinstance(name, str) or not name or len(name) > LONGEST_NAME:
        raise ValueError(
            "a group's name is a text of 1 to {} characters, not {!r}".format(LONGEST_NAME, name)
        )
    if name == WORLD_GROUP:
        raise ValueError("{} is the group of all ranks and cannot be made".format(WORLD_GROUP))
    if not ranks or len(ranks) > MOST_RANKS or len(set(ranks)) != len(ranks):
        raise ValueError("a group has 1 to {} different ranks".format(MOST_RANKS))
    outside = [rank for rank in ranks if not 0 <= rank < size]
    if outside:
        raise ValueError("the job has ranks 0 to {}, not {}".format(size - 1, outside[0]))
    if model().networks:
        _check_networks(ranks, devices)


def _check_networks(ranks, devices):
    servers = {}
    for rank in ranks:
        server, device = devices[rank]
        servers.setdefault(server, []).append(device)
    for used in servers.values():
        if len(used) not in model().counts:
            raise ValueError(
                "a group of an Atlas training server has 1, 2, 4 or 8 devices, not {}".format(
                    len(used)
                )
            )
        if len(used) < max(model().counts) and not any(
            set(used) <= set(network) for network in model().networks
        ):
            raise ValueError(
                "devices {} are in different networks of an Atlas training server: a group of 2 "
                "or 4 devices lies within 0 to 3 or within 4 to 7".format(sorted(used))
            )


def member(members, position, what):
    """The rank in the job of a rank in a group."""
    if not 0 <= position < len(members):
        raise ValueError(
            "{} is {}; the group has ranks 0 to {}".format(what, position, len(members) - 1)
        )
    return members[position]


def position(members, rank, group):
    """The rank in a group of a rank in the job."""
    if rank not in members:
        raise ValueError(
            "rank {} is no member of group {!r} ({})".format(rank, group, wording.ranks(members))
        )
    return members.index(rank)


def pieces(what, counts, displacements, ranks, length):
    """Start and size of the piece for each rank."""
    counts = np.asarray(counts).reshape(-1).tolist()
    starts = np.asarray(displacements).reshape(-1).tolist()
    if len(counts) != ranks or len(starts) != ranks:
        raise ValueError(
            "{0}_counts and {0}_displacements need one number for each of the {1} ranks, they have "
            "{2} and {3}".format(what, ranks, len(counts), len(starts))
        )
    for start, count in zip(starts, counts):
        if start < 0 or count < 0 or (length is not None and start + count > length):
            raise ValueError(
                "{}: a piece of {} elements from {} does not lie in {} elements".format(
                    what, count, start, "the result" if length is None else length
                )
            )
    return [[int(start), int(count)] for start, count in zip(starts, counts)]


def check_pieces(text, tables):
    """The same error on every rank when what one sends is not what another expects."""
    for source, (sends, _) in enumerate(tables):
        for target, (_, receives) in enumerate(tables):
            sent, expected = sends[target][1], receives[source][1]
            if sent != expected:
                raise CollectiveError(
                    "In {}, rank {} sends {} elements to rank {}, which expects {}.".format(
                        text, source, sent, target, expected
                    )
                )
