"""The error of a rank when the others do not do as it does.

The arguments are the scenario and, for those in which ranks wait for each other, a folder.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from ascendify_runtime.world import CollectiveError, world

here = world()
ONE = np.ones(3, np.float32)
BIG = np.ones(200000, np.float32)


def leave(name):
    """Show the other ranks that this one has come so far."""
    for folder in sys.argv[2:]:
        (Path(folder) / name).touch()


def wait_for(*names):
    """Wait without computing."""
    while not all((Path(sys.argv[2]) / name).exists() for name in names):
        time.sleep(0.1)


def differently(call):
    """Rank 0 calls as expected, rank 1 otherwise."""

    def scenario():
        here.allreduce([ONE], "sum", "fine")
        if here.rank == 0:
            here.allreduce([ONE], "sum", "loss")
        else:
            call()

    return scenario


def names():
    here.allreduce([ONE], "sum", "loss" if here.rank == 0 else "accuracy")


def sends():
    here.send([ONE], 1 - here.rank, "state")


def many():
    arrays = [np.ones(n + 1, np.float32) for n in range(20)]
    if here.rank:
        arrays[17] = np.ones(3, np.float32)
    here.allreduce(arrays, "sum", "gradients")


def crash():
    here.allreduce([BIG], "sum", "fine")
    if here.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    here.allreduce([BIG], "sum", "gradients")


def crash_of_first():
    here.allreduce([BIG], "sum", "fine")
    leave(f"received-{here.rank}")
    if here.rank == 0:
        wait_for("received-1", "received-2")
        os.kill(os.getpid(), signal.SIGKILL)
    here.allreduce([BIG], "sum", "gradients")


def exception():
    here.allreduce([ONE], "sum", "fine")
    if here.rank == 1:
        raise KeyError("label")
    here.allreduce([ONE], "sum", "gradients")


def uneven():
    for _ in range(3 + here.rank):
        here.allreduce([ONE], "sum", "gradients")


def uneven_first():
    for _ in range(3 - here.rank):
        here.allreduce([ONE], "sum", "gradients")


def absent():
    here.allreduce([ONE], "sum", "fine")
    if here.rank == 1:
        wait_for("failed-0")
    here.allreduce([ONE], "sum", "gradients")


def evaluating():
    """Rank 1 computes for longer than the others wait for one that does nothing."""
    here.allreduce([ONE], "sum", "fine")
    until = time.process_time() + 1.25 * float(os.environ.get("HCCL_CONNECT_TIMEOUT", "2"))
    while here.rank == 1 and time.process_time() < until:
        np.ones((100, 100)).dot(np.ones((100, 100)))
    print(here.allreduce([ONE], "sum", "gradients")[0].tolist())


def late():
    if here.rank == 1:
        time.sleep(1.5)
    print(here.allreduce([ONE], "sum", "fine")[0].tolist())


def alone():
    """Wait for a rank that never comes."""
    print("waiting")
    sys.stdout.flush()
    here.allreduce([ONE], "sum", "fine")


def computing():
    """Rank 1 is busy in one thread longer than the grace, then comes after all."""
    import threading

    def other(name):
        here.allreduce([ONE], "sum", name)

    first, second = ("a", "b") if here.rank == 0 else ("b", "a")
    thread = threading.Thread(target=other, args=(first,))
    thread.start()
    longer = 1.25 * float(os.environ["ASCENDIFY_MISMATCH_GRACE"])
    until = time.process_time() + longer
    while here.rank == 1 and time.process_time() < until:
        np.ones((100, 100)).dot(np.ones((100, 100)))
    if here.rank == 0:
        time.sleep(longer)
    other(second)
    thread.join()
    print("through")


def forked():
    here.allreduce([ONE], "sum", "fine")
    child = os.fork()
    if not child:
        try:
            here.allreduce([ONE], "sum", "gradients")
        except CollectiveError as error:
            print(str(error))
            sys.stdout.flush()
        sys.exit(0)
    os.waitpid(child, 0)
    print(here.allreduce([ONE], "sum", "gradients")[0].tolist())


def orphan():
    """A forked worker outlives its rank, which must be missed at once all the same."""
    here.allreduce([ONE], "sum", "fine")
    if here.rank == 1:
        if not os.fork():
            os.close(1)
            os.close(2)
            time.sleep(5)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
    here.allreduce([ONE], "sum", "gradients")


def killed_together():
    for _ in range(3):
        here.allreduce([BIG], "sum", "fine")
    os.kill(os.getpid(), signal.SIGKILL)


def sockets():
    """Without shared memory everything goes over the sockets."""
    from ascendify_runtime.comm import calls

    calls.INLINE_BYTES = 1 << 40
    print(here.allreduce([BIG, BIG], "sum", "large")[1][-1])
    print(here.broadcast([BIG * here.rank], 1, "large")[0][-1])


def pieces():
    here.all_to_all_v(ONE, [1, 2], [0, 1], [1, 1], [0, 1], "pieces")


def quiet():
    here.initialise()
    print("alone" if here.rank else "first")


def speed():
    begun = time.time()
    for _ in range(200):
        here.allreduce([ONE], "sum", "small")
    print(time.time() - begun)


SCENARIOS = {
    "shape": differently(lambda: here.allreduce([np.ones(4, np.float32)], "sum", "loss")),
    "dtype": differently(lambda: here.allreduce([np.ones(3, np.float16)], "sum", "loss")),
    "reduction": differently(lambda: here.allreduce([ONE], "max", "loss")),
    "kind": differently(lambda: here.broadcast([ONE], 1, "loss")),
}


def main():
    name = sys.argv[1]
    scenario = SCENARIOS.get(name) or globals()[name]
    try:
        scenario()
    except CollectiveError as error:
        print(str(error))
        leave(f"failed-{here.rank}")
        sys.exit(7)


main()
