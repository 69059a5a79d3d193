"""All options of the device."""

from npu_device.configs.aoe_config import NpuAoeConfig
from npu_device.configs.dump_config import NpuDumpConfig
from npu_device.configs.experimental_config import NpuExperimentalConfig
from npu_device.configs.memory_config import MemoryConfig
from npu_device.configs.option_base import NpuBaseConfig
from npu_device.configs.profiling_config import NpuProfilingConfig


class NpuConfig(NpuBaseConfig):
    """What `npu_device.global_options()` returns."""

    def __init__(self):
        self.declare("")
        self.dump_config = NpuDumpConfig()
        self.profiling_config = NpuProfilingConfig()
        self.aoe_config = NpuAoeConfig()
        self.experimental = NpuExperimentalConfig()
        self.memory_config = MemoryConfig()
        super(NpuConfig, self).__init__()
