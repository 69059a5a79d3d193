"""Options of profiling."""

from npu_device.configs.option_base import NpuBaseConfig


class NpuProfilingConfig(NpuBaseConfig):
    """Whether times are recorded, and which."""

    def __init__(self):
        self.declare("profiling_config.")
        super(NpuProfilingConfig, self).__init__()
