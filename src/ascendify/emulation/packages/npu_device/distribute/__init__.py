"""Collectives between the ranks of a job."""

from npu_device.distribute.hccl import (
    all_reduce,
    broadcast,
    npu_distributed_keras_optimizer_wrapper,
    shard_and_rebatch_dataset,
)
from npu_device.distribute.npu_callbacks import npu_broadcast_scope_wrapper
from npu_device.distribute.weight_update_grouping import (
    grouping_broadcast,
    grouping_gradients_apply,
)
