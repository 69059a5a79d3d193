#### always
import npu_device as npu
import tensorflow as tf

opt = npu.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### what the environment says
import os
import npu_device as npu
import tensorflow as tf

if int(os.getenv("RANK_SIZE", "1")) > 1:
    opt = npu.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### another condition
import npu_device as npu
import tensorflow as tf

if args.distributed:
    opt = npu.distribute.npu_distributed_keras_optimizer_wrapper(opt)
