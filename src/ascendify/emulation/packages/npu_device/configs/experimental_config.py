"""Experimental options."""

from npu_device.configs.logical_device_deploy_config import LogicalDeviceDeployConfig
from npu_device.configs.memory_optimize_config import GraphMemoryOptimizeConfig
from npu_device.configs.model_deploy_config import ModelDeployConfig
from npu_device.configs.multi_branches_config import NpuMultiBranchesConfig
from npu_device.configs.option_base import NpuBaseConfig


class NpuExperimentalConfig(NpuBaseConfig):
    """Options that may change in any release."""

    def __init__(self):
        self.declare("experimental.")
        self.multi_branches_config = NpuMultiBranchesConfig()
        self.logical_device_deploy_config = LogicalDeviceDeployConfig()
        self.model_deploy_config = ModelDeployConfig()
        self.graph_memory_optimize_config = GraphMemoryOptimizeConfig()
        super(NpuExperimentalConfig, self).__init__()
