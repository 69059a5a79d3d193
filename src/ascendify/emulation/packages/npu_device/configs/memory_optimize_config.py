"""Options that save memory."""

from npu_device.configs.option_base import NpuBaseConfig


class GraphMemoryOptimizeConfig(NpuBaseConfig):
    """Recomputation and slicing of graphs."""

    def __init__(self):
        self.declare("experimental.graph_memory_optimize_config.")
        super(GraphMemoryOptimizeConfig, self).__init__()
