"""Options of logical devices."""

from npu_device.configs.option_base import NpuBaseConfig


class LogicalDeviceDeployConfig(NpuBaseConfig):
    """Which logical device a model is put on."""

    def __init__(self):
        self.declare("experimental.logical_device_deploy_config.")
        super(LogicalDeviceDeployConfig, self).__init__()
