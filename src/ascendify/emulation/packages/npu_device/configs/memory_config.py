"""Options of memory."""

from npu_device.configs.option_base import NpuBaseConfig


class MemoryConfig(NpuBaseConfig):
    """How the device allocates memory."""

    def __init__(self):
        self.declare("memory_config.")
        super(MemoryConfig, self).__init__()
