"""A training step with collectives; what the argument names depends on the rank."""

import os
import sys

import tensorflow.compat.v1 as tf
from npu_bridge.npu_init import NPUDistributedOptimizer, hccl_ops

tf.disable_v2_behavior()

rank = int(os.environ["RANK_ID"])
w = tf.get_variable("w", [3])
loss = tf.reduce_sum(w * w)
optimizer = tf.train.GradientDescentOptimizer(0.1)
if sys.argv[1] != "nothing":
    optimizer = NPUDistributedOptimizer(optimizer)
train = optimizer.minimize(loss)
fetches = [train, loss]
if sys.argv[1] == "collective" and rank == 0:
    fetches.append(hccl_ops.allreduce(tf.reduce_max(w), "sum"))
if sys.argv[1] == "operator" and rank == 0:
    fetches.append(tf.norm(w))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(fetches)
