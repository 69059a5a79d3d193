"""Configurations of sessions."""

from ascendify_runtime.options import ENTRY
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2


class SessionConfigBuilder:
    """Adds the options of an NPU session to a configuration."""

    def __init__(self, config=None):
        if config is not None and not isinstance(config, config_pb2.ConfigProto):
            raise ValueError("config must be a tf.compat.v1.ConfigProto")
        self._config = config_pb2.ConfigProto() if config is None else config
        rewriter = self._config.graph_options.rewrite_options
        entries = [one for one in rewriter.custom_optimizers if one.name == ENTRY]
        self._entry = entries[0] if entries else rewriter.custom_optimizers.add()
        self._entry.name = ENTRY
        rewriter.remapping = rewriter_config_pb2.RewriterConfig.OFF
        rewriter.memory_optimization = rewriter_config_pb2.RewriterConfig.OFF

    @property
    def parameter_map(self):
        """Return the options, to be set as in a session of TensorFlow 1."""
        return self._entry.parameter_map

    @property
    def session_config(self):
        """Return the configuration, for `tf.compat.v1.Session`."""
        return self._config
