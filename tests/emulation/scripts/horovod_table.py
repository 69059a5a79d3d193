"""Collectives, optimizers and callbacks of Horovod on every rank; writes what came of it as JSON.

It runs on the stand-in and on Horovod itself: results must be the same to the last bit.
"""

import json
import pathlib
import sys

import h5py
import horovod
import horovod.tensorflow as hvd
import numpy as np
import tensorflow
from keras_2 import KERAS, SESSION, needs_keras_2, refused

tf = tensorflow.compat.v1
tf.disable_eager_execution()
RESULTS = {}


def keep(name, value):
    array = np.ascontiguousarray(value)
    RESULTS[name] = [array.dtype.name, list(array.shape), array.tobytes().hex()]


def fails(error, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except error as problem:
        return str(problem)
    raise AssertionError(f"{call} did not raise {error.__name__}")


def identity():
    assert "not been initialized" in fails(ValueError, hvd.rank)
    assert not hvd.is_initialized()
    hvd.init()
    assert hvd.is_initialized()
    assert 0 <= hvd.rank() < hvd.size() == int(sys.argv[1])
    assert (hvd.local_rank(), hvd.local_size()) == (hvd.rank(), hvd.size())
    assert (hvd.cross_rank(), hvd.cross_size(), hvd.is_homogeneous()) == (0, 1, True)
    assert hvd.gloo_built() and not hvd.mpi_built() and not hvd.nccl_built()
    assert "MPI is not enabled" in fails(ValueError, hvd.mpi_threads_supported)


def numbers(dtype=np.float32, rows=3, shift=0):
    random = np.random.RandomState(10 * hvd.rank() + shift)
    return (random.uniform(-9, 9, (rows, 2)) * 7).astype(dtype)


def collectives():
    cases = {}
    for dtype in (np.float16, np.float32, np.float64, np.int32, np.int64):
        tensor = tf.constant(numbers(dtype), name="in_" + np.dtype(dtype).name)
        cases["average " + np.dtype(dtype).name] = hvd.allreduce(tensor)
        cases["sum " + np.dtype(dtype).name] = hvd.allreduce(tensor, op=hvd.Sum, name="s")
    tensor = tf.constant(numbers(), name="in")
    for op in (hvd.Min, hvd.Max, hvd.Product):
        cases[f"op {op}"] = hvd.allreduce(tensor, op=op, name=f"op_{op}")
    cases["not average"] = hvd.allreduce(tensor, average=False, name="old")
    cases["small"] = hvd.allreduce(tensor, compression=hvd.Compression.fp16, name="small")
    cases["scaled"] = hvd.allreduce(
        tensor, prescale_factor=0.25, postscale_factor=4.0, name="scaled"
    )
    grouped = hvd.grouped_allreduce([tensor, tensor * 2], name="grouped")
    cases["grouped 0"], cases["grouped 1"] = grouped
    uneven = tf.constant(numbers(rows=2 + 3 * hvd.rank()), name="uneven")
    cases["gathered"] = hvd.allgather(uneven)
    assert cases["gathered"].shape.as_list()[1:] == [2]
    cases["broadcast"] = hvd.broadcast(tensor, hvd.size() - 1)
    cases["truth"] = hvd.broadcast(tf.constant([hvd.rank() == 0, True], name="truth"), 0)
    slices = tf.IndexedSlices(uneven, tf.range(tf.shape(uneven)[0]), tf.constant([9, 2]))
    slices = hvd.allreduce(slices)
    cases["slices"], cases["indices"] = slices.values, slices.indices
    cases["rank op"] = hvd.rank_op() * 10 + hvd.size_op()
    with tf.name_scope("outer"):
        named = hvd.allreduce(tensor, name="mean")
    assert named.op.name == "outer/mean", named.op.name
    assert named.shape.as_list() == [3, 2]
    weight = tf.constant(numbers(shift=5), name="weight")
    for kind, one in (
        ("sum", hvd.allreduce(tensor * weight, op=hvd.Sum, name="g_sum")),
        ("average", hvd.allreduce(tensor * weight, name="g_average")),
        ("gather", hvd.allgather(tensor * weight, name="g_gather")),
        ("broadcast", hvd.broadcast(tensor * weight, 0, name="g_broadcast")),
    ):
        loss = tf.reduce_sum(one * float(2 + hvd.rank()))
        cases["gradient of " + kind] = tf.gradients(loss, tensor)[0]
    with session() as sess:
        for name, value in sess.run(cases).items():
            keep(name, value)


def session():
    """With one thread, where many collectives wait at once."""
    threads = {"inter_op_parallelism_threads": 1, "intra_op_parallelism_threads": 1}
    return tf.Session(config=tf.ConfigProto(**threads))


def build(optimizer, **options):
    tf.reset_default_graph()
    tf.set_random_seed(hvd.rank())
    embedding = tf.get_variable("embedding", [7, 4])
    weights = tf.get_variable("weights", [4, 1], use_resource=True)
    counts = tf.get_variable("counts", initializer=hvd.rank() + 1, trainable=False)
    unused = tf.get_variable("unused", [2])
    indices = (np.arange(6 + hvd.rank()) * (hvd.rank() + 2)) % 7
    inputs = tf.gather(embedding, indices)
    loss = tf.reduce_mean(tf.square(tf.matmul(inputs, weights) - hvd.rank()))
    optimizer = hvd.DistributedOptimizer(optimizer, **options)
    step = tf.train.get_or_create_global_step()
    pairs = optimizer.compute_gradients(loss, [embedding, weights, unused])
    assert pairs[2][0] is None
    train = optimizer.apply_gradients(pairs, global_step=step)
    assert optimizer.get_slot_names() is not None
    return loss, train, counts, {"embedding": embedding, "weights": weights}


def optimizers():
    for name, make, options in (
        ("momentum", lambda: tf.train.MomentumOptimizer(0.1, 0.9), {}),
        ("adam", lambda: tf.train.AdamOptimizer(0.1), {"sparse_as_dense": True}),
        ("small", lambda: tf.train.GradientDescentOptimizer(0.1),
         {"compression": hvd.Compression.fp16, "sparse_as_dense": True}),
        ("sum", lambda: tf.train.GradientDescentOptimizer(0.1), {"op": hvd.Sum}),
    ):  # fmt: skip
        loss, train, counts, variables = build(make(), **options)
        hooks = [hvd.BroadcastGlobalVariablesHook(0), tf.train.StopAtStepHook(3)]
        threads = {"inter_op_parallelism_threads": 4, "intra_op_parallelism_threads": 1}
        config = tf.ConfigProto(**threads)
        losses = []
        with tf.train.MonitoredTrainingSession(hooks=hooks, config=config) as sess:
            raw = sess._tf_sess()
            assert raw.run(counts) == 1, "integers that are not trained are broadcast, too"
            while not sess.should_stop():
                losses.append(sess.run([loss, train])[0])
            for variable, value in raw.run(variables).items():
                keep(f"{name} {variable}", value)
        keep(name + " losses", losses)


def keras_training():
    import horovod.tensorflow.keras as khvd

    keras = tf.keras
    kinds = getattr(keras.optimizers, "legacy", keras.optimizers)
    for name, optimizer in (
        ("adam", kinds.Adam(0.01 * hvd.size())),
        ("sgd", kinds.SGD(0.01 * hvd.size(), momentum=0.9)),
    ):
        keras.backend.clear_session()
        keras.backend.set_session(session())
        tf.set_random_seed(3 + hvd.rank())
        model = keras.Sequential([keras.layers.Dense(4, input_shape=(2,)), keras.layers.Dense(1)])
        wrapped = khvd.DistributedOptimizer(optimizer)
        assert type(wrapped).__name__ == type(optimizer).__name__
        model.compile(wrapped, "mse", metrics=["mae"])
        callbacks = [
            khvd.callbacks.BroadcastGlobalVariablesCallback(0),
            khvd.callbacks.MetricAverageCallback(),
            khvd.callbacks.LearningRateWarmupCallback(
                initial_lr=0.01 * hvd.size(), warmup_epochs=2, verbose=1
            ),
            khvd.callbacks.LearningRateScheduleCallback(
                initial_lr=0.01 * hvd.size(), multiplier=0.5, start_epoch=2
            ),
        ]
        x, y = numbers(rows=16) / 10, numbers(rows=16, shift=1)[:, :1] / 10
        options = {"batch_size": 4, "epochs": 4, "shuffle": False, "verbose": 0}
        history = model.fit(x, y, callbacks=callbacks, **options)
        for key, values in sorted(history.history.items()):
            keep(f"keras {name} {key}", np.array(values, np.float32))
        for number, value in enumerate(model.get_weights()):
            keep(f"keras {name} {number}", value)
    keep("keras value", khvd.allreduce(1.5 + hvd.rank(), name="value"))
    keep("keras old", khvd.allreduce(np.float64(hvd.rank() + 0.1), name="old", average=False))
    keep("keras epoch", khvd.broadcast(7 + hvd.rank(), 0, name="resume_from_epoch"))
    keep("keras gathered", khvd.allgather([float(hvd.rank())]))
    if tf.__version__ < "2" and h5py.__version__ >= "3":
        return  # that TensorFlow cannot load what it saved
    path = f"{sys.argv[2]}-{hvd.rank()}.h5"
    model.save(path)
    # in 2.9 and 2.10 the legacy optimizers are none to those who load a model
    legacy = {"legacy_opts": True} if issubclass(kinds.SGD, kinds.Optimizer) else {}
    loaded = khvd.load_model(path, **legacy)
    loaded.fit(x, y, **options)
    for number, value in enumerate(loaded.get_weights()):
        keep(f"keras loaded {number}", value)


def keras_refusals():
    """In a graph, Keras 3 has nothing that runs."""
    import horovod.tensorflow.keras as khvd

    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    broadcast = khvd.callbacks.BroadcastGlobalVariablesCallback(0)
    broadcast.set_model(model)
    for call in (
        lambda: khvd.DistributedOptimizer(tf.keras.optimizers.Adam()),
        lambda: broadcast.on_batch_end(0),
        lambda: khvd.broadcast_global_variables(0),
        lambda: khvd.allreduce(1.5, name="value"),
        lambda: khvd.allgather([1.5]),
        lambda: khvd.broadcast(7, 0),
    ):
        needs_keras_2(SESSION)(call)()


def main():
    identity()
    collectives()
    optimizers()
    keras_training() if KERAS == 2 else keras_refusals()
    RESULTS["keras"] = [KERAS, *refused]
    rank = hvd.rank()
    hvd.shutdown()
    assert not hvd.is_initialized()
    pathlib.Path(f"{sys.argv[2]}-{rank}.json").write_text(json.dumps(RESULTS))
    print(horovod.__file__)


if __name__ == "__main__":
    main()
