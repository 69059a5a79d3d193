"""A distribution strategy with one replica per process."""

from ascendify_runtime.framework import tf
from hccl.manage.api import get_rank_id, get_rank_size
from tensorflow.python.distribute import distribute_lib, one_device_strategy

from npu_bridge.estimator.npu import util

_DEVICE = "/cpu:0"


class NPUExtended(one_device_strategy.OneDeviceExtended):
    """One device; datasets are sharded over the ranks, gradients are not reduced."""

    def __init__(self, container_strategy, device):
        super(NPUExtended, self).__init__(container_strategy, device)

    def _experimental_distribute_dataset(self, dataset, *options):
        return super(NPUExtended, self)._experimental_distribute_dataset(
            dataset.shard(get_rank_size(), get_rank_id()), *options
        )

    @property
    def _num_replicas_in_sync(self):
        return int(util.get_ranksize())


class NPUStrategy(distribute_lib.StrategyV1):
    """The strategy of one rank among others."""

    def __init__(self, device=_DEVICE):
        if device != _DEVICE:
            raise ValueError('"device" only support "/cpu:0"')
        super(NPUStrategy, self).__init__(NPUExtended(self, device))
