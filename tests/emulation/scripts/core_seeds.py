# ruff: noqa: E402
"""What the stand-ins add to a graph leaves the random numbers of the user's ops alone."""

import os
import random
import sys

import numpy as np
from ascendify_runtime.framework import IS_V1, tf, uncounted_ops
from keras_2 import ESTIMATOR, all_hold, needs_keras_2

os.environ.update(JOB_ID="10", RANK_ID="0", RANK_SIZE="1")
if not IS_V1:
    tf.disable_v2_behavior()


def numbers(before):
    """Two random weights and a dropout mask, with something done before and in between."""
    with tf.Graph().as_default():
        tf.set_random_seed(11)
        random.seed(3)
        x = tf.ones([2, 3])
        before(x)
        first = tf.matmul(x, tf.get_variable("first", [3, 5]))
        before(first)
        first = tf.matmul(first, tf.get_variable("second", [5, 4]))
        before(first)
        masked = tf.nn.dropout(first, rate=0.5)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            return sess.run(masked), random.random()


expected = numbers(lambda x: None)  # before anything of the stand-ins is imported but the framework

from npu_bridge.estimator.npu import util
from npu_bridge.npu_init import (
    NPUBroadcastGlobalVariablesHook,
    NPUDistributedOptimizer,
    NPUEstimator,
    NPURunConfig,
    init_resource,
    npu_allreduce,
    npu_distributed_optimizer_wrapper,
)


def hidden(x):
    with uncounted_ops():
        tf.constant(1)
        with uncounted_ops():
            tf.constant(2)
        tf.constant(3)


def raises(x):
    try:
        with uncounted_ops():
            tf.constant(1)
            raise KeyError
    except KeyError:
        pass


def estimator(x):
    os.chdir(sys.argv[1])
    with needs_keras_2(ESTIMATOR):
        NPUEstimator(lambda features: None, config=NPURunConfig())


DONE = {
    "nothing": lambda x: None,
    "hidden ops": hidden,
    "an error among hidden ops": raises,
    "init_resource": lambda x: init_resource(),
    "npu_allreduce": lambda x: npu_allreduce([x, x]),
    "broadcast hook": lambda x: NPUBroadcastGlobalVariablesHook(0, 0).begin(),
    "iteration variables": lambda x: util.create_or_get_var("loop_cond"),
    "optimizers": lambda x: NPUDistributedOptimizer(
        npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
    ),
    "estimator": estimator,
}
for name, done in DONE.items():
    found = numbers(done)
    np.testing.assert_array_equal(found[0], expected[0], err_msg=name)
    assert found[1] == expected[1], name
if IS_V1:  # later releases do not count ops
    shifted = numbers(lambda x: tf.constant(1))
    assert not np.array_equal(shifted[0], expected[0])
all_hold()
