"""Change the configuration of sessions: deterministic thread counts, and no GPU for originals."""

import os

from ascendify_startup import import_hooks


def begin(deterministic, on_cpu):
    """Change the configuration of every session and server, in a copy of the user's own."""
    import_hooks.after("tensorflow", lambda: _patch(deterministic, on_cpu))


def _patch(deterministic, on_cpu):
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session
    from tensorflow.python.training import server_lib

    def changed(config):
        if config is not None and not isinstance(config, config_pb2.ConfigProto):
            return config  # a wrong type: TensorFlow has the better error message
        copy = config_pb2.ConfigProto()
        if config is not None:
            copy.CopyFrom(config)
        if deterministic:
            copy.intra_op_parallelism_threads = 1
            # A session with its own threads needs them for the collectives of its rank.
            if not copy.use_per_session_threads:
                threads = os.environ.get("TF_NUM_INTEROP_THREADS") or 1
                copy.inter_op_parallelism_threads = int(threads)
        if on_cpu:
            # A list of GPUs makes a TensorFlow without GPUs abort, and '/gpu:0' must not.
            copy.gpu_options.visible_device_list = ""
            copy.allow_soft_placement = True
        return copy

    start_session = session.BaseSession.__init__
    start_server = server_lib.Server.__init__

    def begin_session(self, target="", graph=None, config=None):
        start_session(self, target, graph, changed(config))

    def begin_server(self, *args, **kwargs):
        if "config" in kwargs:
            kwargs["config"] = changed(kwargs["config"])
        start_server(self, *args, **kwargs)

    session.BaseSession.__init__ = begin_session
    server_lib.Server.__init__ = begin_server
