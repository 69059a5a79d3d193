# ruff: noqa: B023, E402, PTH110, PTH112, PTH118, PTH208, SIM117, UP031
"""NPUEstimator against the stock Estimator: the same losses, steps, checkpoints and predictions."""

import os
import sys

import numpy as np
from ascendify_runtime.framework import IS_V1, tf
from keras_2 import ESTIMATOR, all_hold, end_without_keras_2

FOLDER = sys.argv[1]
os.environ.update(JOB_ID="10", RANK_ID="0", RANK_SIZE="1")

if not IS_V1:
    tf.disable_v2_behavior()

from npu_bridge.estimator.npu import keras_to_npu, util
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator, NPUEstimatorSpec

end_without_keras_2(
    ESTIMATOR,
    NPURunConfig,
    lambda: NPURunConfig(iterations_per_loop=0),
    lambda: NPUEstimator(print),
    lambda: NPUEstimatorSpec("train", loss=1.0),
    lambda: NPUEstimatorSpec("train", loss=1.0, host_call=(len, [1])),
    keras_to_npu.model_to_npu_estimator,
)
rng = np.random.RandomState(0)
X = rng.rand(48, 4).astype("float32")
Y = X.dot(np.array([[1.0], [2.0], [-1.0], [0.5]], "float32"))


def input_fn():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True).repeat()
    return tf.data.make_one_shot_iterator(data).get_next()


def eval_fn():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True)
    return tf.data.make_one_shot_iterator(data).get_next()


def network(features, labels, mode, params, spec, **extra):
    hidden = tf.layers.dense(features, 8, tf.nn.relu)
    hidden = tf.layers.dropout(hidden, 0.2, training=mode == tf.estimator.ModeKeys.TRAIN)
    output = tf.layers.dense(hidden, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return spec(mode, predictions={"y": output})
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    if "host_call" in extra:
        extra["host_call"] = (extra["host_call"], [tf.train.get_global_step(), loss])
    metric = {"mae": tf.metrics.mean_absolute_error(labels, output)}
    return spec(mode, loss=loss, train_op=train_op, eval_metric_ops=metric, **extra)


def model_fn(features, labels, mode, params):
    return network(features, labels, mode, params, tf.estimator.EstimatorSpec)


class Seen(tf.train.SessionRunHook):
    """Steps and losses a hook sees."""

    def __init__(self):
        self.losses, self.steps = [], []

    def begin(self):
        graph = tf.get_default_graph()
        self.loss = graph.get_collection(tf.GraphKeys.LOSSES)[0]
        self.step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))
        self.steps.append(int(run_context.session.run(self.step)))


PARAMS = {"rate": 0.05}


def folder(name):
    return os.path.join(FOLDER, name)


def trained(estimator, steps=12):
    seen = Seen()
    estimator.train(input_fn, hooks=[seen], max_steps=steps)
    return seen


stock = tf.estimator.Estimator(
    model_fn,
    folder("stock"),
    tf.estimator.RunConfig(tf_random_seed=7, save_checkpoints_steps=6, save_summary_steps=0),
    PARAMS,
)
expected = trained(stock)


def npu(name, function=model_fn, **options):
    config = NPURunConfig(tf_random_seed=7, save_checkpoints_steps=6, **options)
    return NPUEstimator(function, folder(name), config, PARAMS)


# the same numbers as the stock Estimator
estimator = npu("npu")
seen = trained(estimator)
np.testing.assert_allclose(seen.losses, expected.losses, 1e-6)
assert seen.steps == list(range(1, 13))
mine, theirs = estimator.evaluate(eval_fn), stock.evaluate(eval_fn)
assert sorted(mine) == sorted(theirs)
np.testing.assert_allclose([mine[key] for key in theirs], list(theirs.values()), 1e-6)
ours = [p["y"].tolist() for p in estimator.predict(eval_fn)]
np.testing.assert_allclose(ours, [p["y"].tolist() for p in stock.predict(eval_fn)], 1e-5)
assert len(ours) == 48
names = [sorted(tf.train.list_variables(folder(name))) for name in ("npu", "stock")]
assert names[0] == names[1], names
for step in (0, 6, 12):
    assert os.path.exists(folder("npu/model.ckpt-%d.index" % step)), os.listdir(folder("npu"))

# training goes on from the checkpoint, and may start from another folder
assert trained(npu("npu"), 14).steps == [13, 14]
warm = NPUEstimator(
    model_fn,
    folder("warm"),
    NPURunConfig(tf_random_seed=3),
    PARAMS,
    warm_start_from=folder("stock"),
)
assert trained(warm, 1).losses[0] < expected.losses[0]
os.environ["RESTORE_FROM"] = folder("stock")
restored = NPUEstimator(model_fn, folder("restored"), NPURunConfig(tf_random_seed=3), PARAMS)
assert trained(restored, 1).losses[0] < expected.losses[0]
del os.environ["RESTORE_FROM"]

# iterations_per_loop: every run is n steps, and shows the last of them
offloaded = trained(npu("offloaded", iterations_per_loop=3))
assert offloaded.steps == [3, 6, 9, 12], offloaded.steps
# the dropout masks and batches are those of the same steps one by one
np.testing.assert_allclose(offloaded.losses, expected.losses[2::3], 1e-6)
for name in ("offloaded", "npu"):
    reader = tf.train.load_checkpoint(folder(name) + "/model.ckpt-12")
    values = {v: reader.get_tensor(v) for v, _ in tf.train.list_variables(folder(name))}
    if name == "offloaded":
        first = values
assert sorted(first) == sorted(values), (first, values)
for name in first:  # where tensors lie in memory decides how some sums round
    np.testing.assert_allclose(first[name], values[name], 1e-5, 1e-7, err_msg=name)

# the same with a session of the user's own
for two_steps in (False, True):
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        counter = tf.Variable(0, name="counter")
        step = tf.group(tf.assign_add(counter, 1))
        with tf.Session() as sess:
            if two_steps:
                loop = util.IterationPerLoop()
                op = loop.create_iteration_per_loop_var(step)
                sess.run(tf.global_variables_initializer())
                loop.load_iteration_per_loop_var(sess, 5)
            else:
                sess.run(tf.global_variables_initializer())
                assert util.set_iteration_per_loop(sess, step, 1) is step
                op = util.set_iteration_per_loop(sess, step, 5)
            assert op.name == "IterationOp"
            assert sess.run([op, {"a": (counter,)}])[1] in ({"a": (5,)}, {"a": (4,)})
            sess.run("IterationOp")
            assert sess.run(counter) == 10
            sess.run(step)
            assert sess.run(counter) == 11
            assert [v.name for v in tf.get_collection("npu_runconfig_iterations_per_loop")] == [
                "npu_runconfig/iterations_per_loop:0"
            ]

# a host call runs with every step, offloaded or not
for iterations in (1, 2):
    calls = []

    def host_call(step, loss):
        return [tf.py_func(lambda s, v: calls.append((int(s), float(v))), [step, loss], [])]

    def with_host_call(features, labels, mode, params):
        return network(features, labels, mode, params, NPUEstimatorSpec, host_call=host_call)

    called = npu("host%d" % iterations, with_host_call, iterations_per_loop=iterations)
    trained(called, 4)
    assert [step for step, _ in calls] == [1, 2, 3, 4], calls
    np.testing.assert_allclose([v for _, v in calls], expected.losses[:4], 1e-6)
    calls.clear()
    called.evaluate(eval_fn, steps=2)
    assert len(calls) == 2, calls


def writes_summaries(step, loss):
    if IS_V1:
        from tensorflow.contrib import summary

        with summary.create_file_writer(folder("summaries")).as_default():
            with summary.always_record_summaries():
                summary.scalar("loss", loss, step=step)
                return summary.all_summary_ops()
    from tensorflow import summary

    with summary.create_file_writer(folder("summaries")).as_default():
        summary.scalar("loss", loss, step=step)
        return tf.summary.all_v2_summary_ops()


def summarised(features, labels, mode, params):
    return network(features, labels, mode, params, NPUEstimatorSpec, host_call=writes_summaries)


trained(npu("summary", summarised), 3)
files = [os.path.join(folder("summaries"), f) for f in os.listdir(folder("summaries"))]
events = [e for f in files for e in tf.train.summary_iterator(f) if e.summary.value]
assert [e.step for e in events] == [1, 2, 3], events

# what is refused
TRAIN = tf.estimator.ModeKeys.TRAIN
with tf.Graph().as_default():
    loss, op = tf.constant(1.0), tf.no_op()
    for host, error in (
        (5, ValueError),
        ((len,), ValueError),
        ((5, []), TypeError),
        ((len, 5), ValueError),
        ((lambda a: a, []), RuntimeError),
    ):
        try:
            NPUEstimatorSpec(TRAIN, loss=loss, train_op=op, host_call=host)
        except error:
            continue
        raise AssertionError(host)
    spec = NPUEstimatorSpec(TRAIN, loss=loss, train_op=op, host_call=(len, [loss]))
    assert spec._replace(loss=loss).host_call is spec.host_call
for wrong in (lambda features, labels, mode, params: 5,):
    try:
        npu("wrong", wrong).train(input_fn, steps=1)
    except RuntimeError as error:
        assert "EstimatorSpec" in str(error)
    else:
        raise AssertionError("no RuntimeError")

# export
receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
    {"x": tf.placeholder(tf.float32, [None, 4])}
)


def serving():
    x = tf.placeholder(tf.float32, [2, 4])
    return tf.estimator.export.TensorServingInputReceiver(x, x)


assert os.path.isdir(estimator.export_saved_model(folder("export"), serving))

# from Keras
with tf.Graph().as_default():
    keras = tf.keras
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), name="d")])
    model.compile(loss="mse", optimizer=tf.train.AdamOptimizer(0.1))
    made = keras_to_npu.model_to_npu_estimator(
        keras_model=model, model_dir=folder("keras"), config=NPURunConfig(tf_random_seed=1)
    )
assert isinstance(made, NPUEstimator) and made.model_dir == folder("keras")


def keras_input():
    features, labels = input_fn()
    return {"d_input": features}, labels


made.train(keras_input, max_steps=3)
first = made.evaluate(keras_input, steps=4)["loss"]
made.train(keras_input, max_steps=30)
assert made.evaluate(keras_input, steps=4)["loss"] < first

# train_and_evaluate is how most programs drive it
both = npu("both")
tf.estimator.train_and_evaluate(
    both,
    tf.estimator.TrainSpec(input_fn, max_steps=4),
    tf.estimator.EvalSpec(eval_fn, steps=2, throttle_secs=0),
)
all_hold()
