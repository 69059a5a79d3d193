"""Options of deployment."""

from npu_device.configs.option_base import NpuBaseConfig


class ModelDeployConfig(NpuBaseConfig):
    """Which devices a model is deployed on."""

    def __init__(self):
        self.declare("experimental.model_deploy_config.")
        super(ModelDeployConfig, self).__init__()
