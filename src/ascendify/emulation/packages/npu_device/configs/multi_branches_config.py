"""Options of graphs with several sets of shapes."""

from npu_device.configs.option_base import NpuBaseConfig


class NpuMultiBranchesConfig(NpuBaseConfig):
    """The sets of shapes of the inputs."""

    def __init__(self):
        self.declare("experimental.multi_branches_config.")
        super(NpuMultiBranchesConfig, self).__init__()
