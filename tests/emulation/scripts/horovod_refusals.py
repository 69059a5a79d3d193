"""What the stand-in for Horovod refuses, what it hides, and what it leaves as it was; one rank."""

import importlib.util

import horovod.tensorflow as hvd
import horovod.tensorflow.keras as khvd
import numpy as np
import tensorflow
from keras_2 import KERAS, SESSION, message

tf = tensorflow.compat.v1
assert importlib.util.find_spec("ascendify_runtime") is not None
for npu in ("npu_bridge", "hccl", "atlasboost", "tbe"):
    assert importlib.util.find_spec(npu) is None, f"an original must not find {npu}"

hvd.init()
tf.disable_eager_execution()

value = tf.constant([1.0, 2.0])
slices = tf.IndexedSlices(value, tf.constant([0, 1]), tf.constant([3]))
sgd = tf.train.GradientDescentOptimizer(0.1)
keras_sgd = tf.keras.optimizers.SGD(0.1)
REFUSED = [
    (lambda: hvd.allreduce(value, op=hvd.Adasum), "Adasum"),
    (lambda: hvd.allreduce(slices, op=hvd.Max), "Only Sum and Average"),
    (lambda: hvd.allreduce(tf.constant(["text"])), "string"),
    (lambda: hvd.alltoall(value), "hvd.alltoall"),
    (lambda: hvd.reducescatter(value), "hvd.reducescatter"),
    (hvd.join, "same number of steps"),
    (lambda: hvd.broadcast_object({}, 0), "hvd.broadcast_object"),
    (lambda: hvd.allgather_object({}), "hvd.allgather_object"),
    (lambda: hvd.start_timeline("f"), "timeline"),
    (lambda: hvd.ProcessSet([0]), "process sets"),
    (lambda: hvd.add_process_set([0]), "add_process_set"),
    (lambda: hvd.allreduce(value, process_set=object()), "process sets"),
    (lambda: hvd.init(process_sets=[1]), "process sets"),
    (lambda: hvd.PartialDistributedGradientTape(None), "tape"),
    (lambda: hvd.DistributedGradientTape(None, op=hvd.Adasum), "Adasum"),
    (hvd.SyncBatchNormalization, "SyncBatchNormalization"),
    (lambda: hvd.DistributedOptimizer(sgd, op=hvd.Adasum), "Adasum"),
    (lambda: hvd.DistributedOptimizer(sgd, backward_passes_per_step=2), "backward_passes"),
    (lambda: hvd.DistributedOptimizer(sgd).register_local_var(value), "one rank"),
    (lambda: khvd.DistributedOptimizer(keras_sgd, backward_passes_per_step=2), "backward_passes"),
    (lambda: khvd.PartialDistributedOptimizer(keras_sgd), "PartialDistributedOptimizer"),
    (lambda: khvd.callbacks.BestModelCheckpoint("f"), "BestModelCheckpoint"),
]
new = tensorflow.keras.optimizers.SGD
if not hasattr(new, "get_gradients"):  # from 2.11 on
    why = "eager" if KERAS == 2 else message(SESSION)
    REFUSED.append((lambda: khvd.DistributedOptimizer(new(0.1)), why))
for number, (call, text) in enumerate(REFUSED):
    try:
        call()
    except NotImplementedError as error:
        assert text in str(error) and str(error).endswith((".", "Slices")), (number, error)
    else:
        raise AssertionError(f"case {number} ({text}) is not refused")

WRONG = [
    lambda: hvd.allreduce(value, average=True, op=hvd.Sum),
    lambda: hvd.allreduce(value, op=17),
    lambda: hvd.broadcast(value, 1),
    lambda: hvd.allgather(tf.constant(1.0)),
    lambda: hvd.DistributedOptimizer(sgd, groups=0),
    lambda: hvd.DistributedOptimizer(sgd, op=hvd.Sum, gradient_predivide_factor=2.0),
    lambda: khvd.DistributedOptimizer(keras_sgd, op=hvd.Max),
]
for number, call in enumerate(WRONG):
    try:
        call()
    except ValueError:
        continue
    raise AssertionError(f"case {number} is not wrong")


def random_numbers(with_collectives):
    """What random operations yield that are made after some of ours."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(5)
        variable = tf.get_variable("variable", [2])
        if with_collectives:
            hvd.rank_op()
            hvd.allgather(variable)
            hvd.allreduce(variable, compression=hvd.Compression.fp16)
            hvd.broadcast_global_variables(0)
            hvd.BroadcastGlobalVariablesHook(0).begin()
        return sess.run(tf.random_uniform([3]))


np.testing.assert_array_equal(random_numbers(True), random_numbers(False))
print("as it should be")
