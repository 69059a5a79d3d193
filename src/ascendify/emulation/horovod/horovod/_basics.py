"""Rank, size and features of the job, as Horovod's basic functions return them."""

from ascendify_runtime.world import world

from horovod._missing import missing, refuse

Average, Sum, Adasum, Min, Max, Product = range(6)

_NOT_INITIALISED = "Horovod has not been initialized; use hvd.init()."
_state = {"initialised": False}


def init(comm=None, process_sets=None):
    """Join the job; rank and size come from the environment."""
    if comm is not None and list(comm) not in ([], list(range(world().size))):
        refuse("hvd.init(comm=...)", "all ranks of the job belong together")
    if process_sets:
        refuse("process sets", "all ranks of the job belong together")
    world().initialise()
    _state["initialised"] = True


def shutdown():
    """Forget that Horovod was initialised."""
    _state["initialised"] = False


def is_initialized():
    """Whether ``init`` was called, and ``shutdown`` not after it."""
    return _state["initialised"]


def joined_world():
    """Return the world; raise ValueError before ``init``."""
    if not _state["initialised"]:
        raise ValueError(_NOT_INITIALISED)
    return world()


def rank():
    """The number of this process."""
    return joined_world().rank


def size():
    """How many processes there are."""
    return joined_world().size


def local_rank():
    """The number of this process on its server."""
    return joined_world().local_rank


def local_size():
    """How many processes its server has."""
    return joined_world().local_size


def cross_rank():
    """The number of the server this process is on."""
    servers = _servers()
    return servers.index(joined_world().devices[rank()][0])


def cross_size():
    """How many servers have a process with this local rank."""
    return sum(1 for server in _servers() if _count(server) > local_rank())


def is_homogeneous():
    """Whether every server has as many processes."""
    return len({_count(server) for server in _servers()}) == 1


def _servers():
    return list(dict.fromkeys(server for server, _ in joined_world().devices[: size()]))


def _count(server):
    return sum(1 for each, _ in joined_world().devices[: size()] if each == server)


def mpi_threads_supported():
    """Raise the error that Horovod raises without MPI."""
    raise ValueError("Horovod MPI is not enabled; Please make sure it's installed and enabled.")


def _answer(value, text):
    def call():
        return value

    call.__doc__ = text
    return call


mpi_built = _answer(False, "There is no MPI.")
mpi_enabled = _answer(False, "There is no MPI.")
gloo_built = _answer(True, "Collectives run on the CPU.")
gloo_enabled = _answer(True, "Collectives run on the CPU.")
nccl_built = _answer(0, "There is no NCCL.")
ddl_built = _answer(False, "There is no DDL.")
ccl_built = _answer(False, "There is no CCL.")
cuda_built = _answer(False, "There is no CUDA.")
rocm_built = _answer(False, "There is no ROCm.")

start_timeline = missing("start_timeline", "it records no timeline")
stop_timeline = missing("stop_timeline", "it records no timeline")


class ProcessSet(object):
    """A set of ranks; only the set of all ranks is supported."""

    process_set_id = None

    def __init__(self, ranks_or_comm=None):
        refuse("process sets", "all ranks of the job belong together")


class _AllRanks(ProcessSet):
    process_set_id = 0

    def __init__(self):
        pass

    def size(self):
        """How many ranks the set has."""
        return size()

    def rank(self):
        """The number of this process in the set."""
        return rank()

    def included(self):
        """Whether this process is in the set."""
        return True

    @property
    def ranks(self):
        """The ranks of the set."""
        return list(range(size()))


global_process_set = _AllRanks()
add_process_set = missing("add_process_set", "all ranks of the job belong together")
remove_process_set = missing("remove_process_set", "all ranks of the job belong together")


def only_all_ranks(process_set):
    """Refuse any other set than that of all ranks."""
    if process_set is not global_process_set:
        refuse("process sets", "all ranks of the job belong together")


def choose_reduction(op, average):
    """Return the reduction that the old parameter ``average`` or the new one ``op`` names."""
    if op is not None and average is not None:
        raise ValueError("The op parameter supersedes average. Please provide only one of them.")
    if op is None:
        op = Average if average is None or average else Sum
    if op == Adasum:
        refuse("Adasum", "it sums and averages only")
    if op not in (Average, Sum, Min, Max, Product):
        raise ValueError("op is {!r}, which is none of Horovod's reductions".format(op))
    return op
