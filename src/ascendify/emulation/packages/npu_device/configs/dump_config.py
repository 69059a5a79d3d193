"""Options of dumping data."""

from npu_device.configs.option_base import NpuBaseConfig


class NpuDumpConfig(NpuBaseConfig):
    """Which data of operators is written to files."""

    def __init__(self):
        self.declare("dump_config.")
        super(NpuDumpConfig, self).__init__()
