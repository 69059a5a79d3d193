"""Options of automatic tuning."""

from npu_device.configs.option_base import NpuBaseConfig


class NpuAoeConfig(NpuBaseConfig):
    """How operators and graphs are tuned."""

    def __init__(self):
        self.declare("aoe_config.")
        super(NpuAoeConfig, self).__init__()
