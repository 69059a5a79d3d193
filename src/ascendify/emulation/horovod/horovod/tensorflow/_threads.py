"""Give sessions enough threads for collectives that wait.

A collective is a Python function here and holds a thread of its session while it waits for the
other ranks. With few threads, two ranks could fill theirs with different collectives and deadlock.
Horovod's own operations hold no thread, so programs do not plan for this.
"""

import functools

from ascendify_runtime.world import world
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session

THREADS = 64


def make_room():
    """Give every session its own, large pool of threads, if the job has several ranks."""
    original = session.BaseSession.__init__

    @functools.wraps(original)
    def begin(self, target="", graph=None, config=None):
        if world().size > 1 and not target:
            config = _roomy(config)
        original(self, target, graph, config)

    session.BaseSession.__init__ = begin


def _roomy(config):
    if config is not None and not isinstance(config, config_pb2.ConfigProto):
        return config  # a wrong type: TensorFlow has the better error message
    roomy = config_pb2.ConfigProto()
    if config is not None:
        roomy.CopyFrom(config)
    # a pool of its own: the shared pool gets its size from the first session of the process
    roomy.use_per_session_threads = True
    roomy.inter_op_parallelism_threads = max(roomy.inter_op_parallelism_threads, THREADS)
    return roomy
