#### the folder of a run config
import os
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=1000)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### with distributed=horovod
#### after
import os
import tensorflow as tf
def npu_rank_folder(folder):
    """Return the folder itself on rank 0, and one below it on every other rank."""
    rank = int(os.getenv("RANK_ID", "0"))
    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)


config = tf.estimator.RunConfig(model_dir=npu_rank_folder(d), save_checkpoints_steps=1000)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### findings
3 auto-check
#### the folder of an estimator, given by position
import os
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(input_fn)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def npu_rank_folder(folder):
    """Return the folder itself on rank 0, and one below it on every other rank."""
    rank = int(os.getenv("RANK_ID", "0"))
    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)


estimator = tf.estimator.Estimator(model_fn, npu_rank_folder(d))
estimator.train(input_fn)
#### findings
3 auto-check
#### a native run config
import os
from npu_bridge.npu_init import *
config = NPURunConfig(model_dir=d, save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn)
#### with distributed=horovod
#### after
import os
from npu_bridge.npu_init import *
def npu_rank_folder(folder):
    """Return the folder itself on rank 0, and one below it on every other rank."""
    rank = int(os.getenv("RANK_ID", "0"))
    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)


config = NPURunConfig(model_dir=npu_rank_folder(d), save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn)
#### findings
3 auto-check
