"""Error messages between ranks: name the ranks that are missing or have exited, not sockets."""

import contextlib
import datetime
import os
import re
import socket
import time

import torch.distributed as dist

NO_BACKEND = "No backend type associated with device type cpu"
_LONGEST_PAUSE = 0.1
_MOMENT = 0.01
_A_MOMENT = datetime.timedelta(seconds=_MOMENT)
_SOURCE_LINE = re.compile(r"^\[[^\]]*\.\w+:\d+\]\s*")
_CALLBACK = re.compile(r"^Got the following error when running the callback: (?:\w+Error: )?")


def meet(store, rank, size, timeout, global_ranks, known):
    """Exchange host and process id with the ranks of a group: return {rank: (host, process id)}.

    known: the processes of global ranks from earlier groups; if one of them has exited, the group
    does not wait for the timeout.
    """
    store.set(_key(rank), "%s %d" % (socket.gethostname(), os.getpid()))
    others = [other for other in range(size) if other != rank]
    end, pause = time.monotonic() + timeout.total_seconds(), 0.001
    while True:
        missing = [other for other in others if not _is_there(store, _key(other))]
        exited = [other for other in missing if _has_exited(known.get(global_ranks[other]))]
        if exited or (missing and time.monotonic() > end):
            break
        if not missing:
            return {other: _peer(store.get(_key(other)).decode()) for other in others}
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    me = global_ranks[rank]
    if exited:
        message = "%s exited before the group was complete. Look at its own error first." % _ranks(
            [global_ranks[other] for other in exited], processes=True
        )
    else:
        message = (
            "%s did not join within %s s. Every rank must call init_process_group or new_group: "
            "check whether one stopped before it, or whether WORLD_SIZE (here %d) is larger than "
            "the number of processes started."
            % (_ranks([global_ranks[other] for other in missing]), _seconds(timeout), size)
        )
    raise dist.DistBackendError("HCCL process group on rank %d: %s" % (me, message))


def left_on_cpu(what, backend_name):
    """Return the error for a tensor on the CPU in a group for the NPU only."""
    return RuntimeError(
        "%s: %s was given a tensor on the CPU, and this process group has backend %s only. Move "
        'the tensor with .npu(), or start with init_process_group("cpu:gloo,npu:%s").'
        % (NO_BACKEND, what, backend_name, backend_name)
    )


def _is_there(store, key):
    if hasattr(store, "check"):
        return store.check([key])
    try:  # torch 2.1
        store.wait([key], _A_MOMENT)
    except RuntimeError:
        return False
    return True


def _peer(text):
    host, process = text.rsplit(" ", 1)
    return host, int(process)


def _key(rank):
    return "ascendify_rank_%d" % rank


@contextlib.contextmanager
def naming_the_other(backend, peer):
    """Explain an error of sending to or receiving from one rank.

    Starting a transfer may fail too, not only waiting for it: gloo may know already that the
    connection is closed.
    """
    try:
        yield
    except RuntimeError as error:
        message = explain(backend, "send or receive", str(error), peer)
        raise dist.DistBackendError(message) from error


def explain(backend, what, text, peer=None):
    """Return the message for an error of gloo, with the ranks that caused it."""
    text = _CALLBACK.sub("", text).split("\n\nAt:\n")[0]
    if backend is None or text.startswith(_START):
        return text
    others = backend.peers if peer is None else {peer: backend.peers.get(peer)}
    connection_lost = any(words in text for words in _LOST)
    exited = [
        backend.global_ranks[other]
        for other in _exited(others, _TIME_TO_EXIT if connection_lost else 0)
    ]
    me = backend.global_ranks[backend.rank()]
    message = "%s %s on rank %d: " % (_START, what, me)
    if exited:
        message += (
            "%s exited while this rank was waiting. Look at its own error first; this one only "
            "follows from it." % _ranks(exited, processes=True)
        )
    elif "imed out" in text or "timeout" in text.lower():
        waiting = [backend.global_ranks[other] for other in others]
        message += (
            "%s did not take part within %s s although the process is still running. All ranks "
            "must call the same collectives in the same order; look for a branch that only "
            "some ranks enter, or for unequal numbers of batches."
            % (_ranks(waiting), _seconds(backend.timeout))
        )
    elif connection_lost:
        message += (
            "%s closed the connection: it is exiting, or has destroyed its process group while "
            "this rank still communicates." % _ranks([backend.global_ranks[o] for o in others])
        )
    else:
        return text
    reason = _SOURCE_LINE.sub("", text.strip().splitlines()[0]).split(". This is typically")[0]
    return "%s (gloo: %s)" % (message, reason)


_START = "HCCL"
_LOST = ("losed by peer", "eset by peer", "roken pipe")
_TIME_TO_EXIT = 1.0
"""Seconds: a process that exits closes its connections a moment before it is gone."""


def _exited(peers, patience):
    """Return the ranks whose processes have exited; wait a while for the first one."""
    end = time.monotonic() + patience
    while True:
        exited = [rank for rank, process in peers.items() if _has_exited(process)]
        if exited or time.monotonic() >= end:
            return exited
        time.sleep(_MOMENT)


def _has_exited(peer):
    if peer is None or peer[0] != socket.gethostname():
        return False
    try:
        os.kill(peer[1], 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _is_zombie(peer[1])


def _is_zombie(process):
    """Whether a process has exited but its parent has not waited for it yet."""
    try:
        with open("/proc/%d/stat" % process) as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (OSError, IndexError):
        return False


def _ranks(ranks, processes=False):
    noun = "the process of rank" if processes else "rank"
    if len(ranks) == 1:
        return "%s %d" % (noun, ranks[0])
    noun = "the processes of ranks" if processes else "ranks"
    return "%s %s" % (noun, ", ".join(str(rank) for rank in ranks))


def _seconds(timeout):
    return "%g" % timeout.total_seconds()
