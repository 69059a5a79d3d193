# ruff: noqa: PTH118, RUF005, UP031
"""One rank of a job: prints, as JSON, what each way of training ends with.

Two ranks with half a batch each have to end where one rank ends with the whole batch.
"""

import contextlib
import json
import os
import sys

import numpy as np
from ascendify_runtime.framework import IS_V1, tf
from keras_2 import ESTIMATOR, GRADIENTS, KERAS, needs_keras_2, refused

if not IS_V1:
    tf.disable_v2_behavior()

from npu_bridge.estimator.npu.npu_optimizer import allreduce, reduce
from npu_bridge.npu_init import (
    ExponentialUpdateLossScaleManager,
    KerasDistributeOptimizer,
    NPUBroadcastGlobalVariablesHook,
    NPUDistributedOptimizer,
    NPUEstimator,
    NPULossScaleOptimizer,
    NPUOptimizer,
    NPURunConfig,
    close_session,
    get_npu_rank_id,
    get_npu_rank_size,
    init_resource,
    npu_allreduce,
    npu_callbacks_append,
    npu_distributed_optimizer_wrapper,
    npu_strategy,
    shutdown_resource,
)

session, shutdown = init_resource()
RANK, SIZE = get_npu_rank_id(), get_npu_rank_size()
rng = np.random.RandomState(0)
X = rng.rand(8, 3).astype("float32")
Y = rng.rand(8, 1).astype("float32")
IDS = np.array([0, 1, 2, 3, 0, 2, 4, 4], "int32")


def share(values):
    return values[RANK * len(values) // SIZE : (RANK + 1) * len(values) // SIZE]


def dense(values, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [int(values.shape[-1]), units])
        return tf.matmul(values, kernel) + tf.get_variable("bias", [units])


def scale_manager():
    return ExponentialUpdateLossScaleManager(16.0, 100, 1, 2, 0.5)


OPTIMIZERS = {
    "wrapper": lambda: npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1)),
    "distributed": lambda: NPUDistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9)),
    "sharded": lambda: NPUDistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), True),
    "all in one": lambda: NPUOptimizer(
        tf.train.AdamOptimizer(0.1), scale_manager(), is_distributed=True, is_loss_scale=True
    ),
    "loss scale": lambda: NPULossScaleOptimizer(
        npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1)), scale_manager(), True
    ),
}
results = {}


def train(make, overflow=False):
    """Weights after a few steps; every rank starts from weights of its own."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5 + (RANK if SIZE > 1 else 0))
        x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
        ids = tf.placeholder(tf.int32, [None])
        table = tf.get_variable("table", [5, 3], initializer=tf.random_normal_initializer())
        hidden = tf.tanh(dense(x + tf.nn.embedding_lookup(table, ids), 4, "hidden"))
        loss = tf.losses.mean_squared_error(y, dense(hidden, 1, "output"))
        tf.get_variable("untouched", [2])
        step = tf.train.get_or_create_global_step()
        train_op = make().minimize(loss, step)
        collectives = [op.name for op in graph.get_operations() if op.type == "PyFunc"]
        hooks = [NPUBroadcastGlobalVariablesHook(0, RANK)]
        feed = {x: share(X), y: share(Y), ids: share(IDS)}
        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            for number in range(4):
                fed = dict(feed)
                if overflow and number == 1 and RANK == SIZE - 1:
                    fed[y] = share(Y) * np.inf
                sess.run(train_op, fed)
            found = sess.run(tf.trainable_variables() + [step])
    return {"weights": [np.ravel(v).tolist() for v in found], "collectives": collectives}


for name, make in OPTIMIZERS.items():
    results[name] = train(make)
for name in ("all in one", "loss scale"):
    results[name + ", overflow on one rank"] = train(OPTIMIZERS[name], overflow=True)

# --- Keras ----------------------------------------------------------------------------------------
keras = tf.keras


def train_keras(wrap):
    keras.backend.clear_session()
    tf.set_random_seed(9 + (RANK if SIZE > 1 else 0))
    model = keras.Sequential(
        [keras.layers.Dense(4, "tanh", input_shape=(3,)), keras.layers.Dense(1)]
    )
    optimizer = keras.optimizers.Adam(0.1)
    assert wrap(optimizer) is optimizer
    model.compile(optimizer, "mse")
    model.fit(
        share(X),
        share(Y),
        batch_size=8 // SIZE,
        epochs=4,
        shuffle=False,
        verbose=0,
        callbacks=npu_callbacks_append([]),
    )
    return {"weights": [np.ravel(w).tolist() for w in model.get_weights()]}


for name, wrap in (
    ("keras wrapper", npu_distributed_optimizer_wrapper),
    ("keras class", KerasDistributeOptimizer),
):
    if KERAS == 2 or SIZE > 1:  # one rank has nothing to average, and Keras 3 no sessions
        with needs_keras_2(GRADIENTS):
            results[name] = train_keras(wrap)
with needs_keras_2(GRADIENTS) if SIZE > 1 else contextlib.nullcontext():
    assert npu_distributed_optimizer_wrapper("sgd").__class__.__name__ == "SGD"

# --- Estimator ------------------------------------------------------------------------------------


def input_fn():
    data = tf.data.Dataset.from_tensor_slices((share(X), share(Y))).batch(8 // SIZE).repeat()
    return tf.data.make_one_shot_iterator(data).get_next()


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, dense(features, 1, "dense"))
    optimizer = NPUDistributedOptimizer(tf.train.GradientDescentOptimizer(0.1))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


for name, options in (
    ("estimator", {}),
    ("estimator, three steps a run", {"iterations_per_loop": 3}),
):
    with needs_keras_2(ESTIMATOR):
        folder = os.path.join(sys.argv[1], "%s-%d-%d" % (name, SIZE, RANK))
        config = NPURunConfig(tf_random_seed=4 + (RANK if SIZE > 1 else 0), **options)
        estimator = NPUEstimator(model_fn, folder, config)
        estimator.train(input_fn, max_steps=6)
        names = ("dense/kernel", "dense/bias", "global_step")
        values = [np.ravel(estimator.get_variable_value(variable)).tolist() for variable in names]
        results[name] = {"weights": values}

# --- functions ------------------------------------------------------------------------------------
with tf.Graph().as_default(), tf.Session() as sess:
    mine = tf.constant([1.0, 2.0]) + float(RANK)
    slices = tf.IndexedSlices(tf.fill([1, 2], float(RANK + 1)), [RANK], [4, 2])
    outputs = {
        "mean": npu_allreduce(mine),
        "list": npu_allreduce((mine, mine * 2), "sum"),
        "max": npu_allreduce(mine, "max"),
        "sparse": tf.convert_to_tensor(npu_allreduce([slices])[0]),
        "allreduce": allreduce(mine),
        "sum": allreduce(mine, average=False),
        "reduce": reduce(mine, 0),
    }
    functions = {key: np.array(value).tolist() for key, value in sess.run(outputs).items()}
strategy = npu_strategy.NPUStrategy()
assert strategy.num_replicas_in_sync == SIZE
with tf.Graph().as_default(), tf.Session() as sess:
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(1))
    iterator = data.make_initializable_iterator()
    value = iterator.get_next()
    sess.run(iterator.initializer if hasattr(iterator, "initializer") else iterator.initialize())
    functions["dealt"] = int(np.ravel(sess.run(value))[0])
shutdown_resource(session, shutdown)
close_session(session)
found = {"ways": results, "functions": functions, "keras": KERAS, "refused": refused}
print("RESULT " + json.dumps(found))
