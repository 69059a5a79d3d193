"""Options of single calls, for `npu_device.npu_run_context`."""

from npu_device.configs.memory_optimize_config import GraphMemoryOptimizeConfig
from npu_device.configs.option_base import NpuBaseConfig


class _ExperimentalOptions(NpuBaseConfig):
    def __init__(self):
        self.graph_memory_optimize_config = GraphMemoryOptimizeConfig()
        super(_ExperimentalOptions, self).__init__()


class NpuRunContextOptions(NpuBaseConfig):
    """Options that replace those of the device inside a `with` block."""

    def __init__(self):
        self.experimental = _ExperimentalOptions()
        super(NpuRunContextOptions, self).__init__()
