"""One function a case. A line that must be reported ends in the code; every other line must not be.

Every case has a graph and a session of its own; those named ``clean`` have no mark.
"""

import sys

import numpy as np
import tensorflow
from npu_bridge.npu_init import FixedLossScaleManager, NPULossScaleOptimizer, hccl_ops

tf = tensorflow.compat.v1
tf.disable_v2_behavior()


def run(fetches, feed=None, initialise=True, config=None):
    with tf.Session(config=config) as session:
        if initialise:
            session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def weights(*shape):
    return tf.get_variable("w", shape)


def npu_config(*settings):
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.memory_optimization = 2
    entry = config.graph_options.rewrite_options.custom_optimizers.add()
    entry.name = "NpuOptimizer"
    for key, field, value in settings:
        setattr(entry.parameter_map[key], field, value)
    return config


MIXED = (("mix_compile_mode", "b", True),)


# --- shapes ----------------------------------------------------------------------------------


def placeholder_with_open_batch():
    x = tf.placeholder(tf.float32, [None, 4])  # EMU-SHAPE-1
    y = tf.matmul(x, weights(4, 2))
    rows = tf.range(tf.shape(y)[0])
    run([tf.reduce_sum(y), rows], {x: np.zeros((3, 4))})


def placeholder_clean():
    x = tf.placeholder(tf.float32, [3, 4])
    y = tf.matmul(x, weights(4, 2))
    run([tf.reduce_sum(y), tf.range(tf.shape(y)[0])], {x: np.zeros((3, 4))})


def placeholder_for_a_dataset_clean():
    x = tf.placeholder(tf.float32, [None, 4])
    dataset = tf.data.Dataset.from_tensor_slices(x).batch(2, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    y = tf.reduce_sum(tf.matmul(iterator.get_next(), weights(4, 2)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer, {x: np.zeros((4, 4))})
        session.run(y)


def unknown_rank():
    x = tf.placeholder(tf.float32)  # EMU-SHAPE-1
    run(tf.reduce_sum(x), {x: np.zeros((3, 4))}, initialise=False)


def mask():
    x = tf.constant(np.arange(6, dtype=np.float32))
    y = tf.boolean_mask(x, x > 2)  # EMU-SHAPE-1
    run(tf.reduce_mean(y * 2), initialise=False)


def mask_clean():
    x = tf.constant(np.arange(6, dtype=np.float32))
    run(tf.reduce_sum(tf.where(x > 2, x, tf.zeros_like(x))), initialise=False)


def mask_below_an_open_batch():
    x = tf.placeholder(tf.float32, [None])  # EMU-SHAPE-1
    y = tf.boolean_mask(x, x > 2)  # EMU-SHAPE-1
    run(tf.reduce_mean(y), {x: np.arange(6)}, initialise=False)


def sequence_mask_without_length():
    lengths = tf.placeholder(tf.int32, [2])
    y = tf.sequence_mask(lengths)  # EMU-SHAPE-1
    run(tf.cast(y, tf.float32), {lengths: [1, 3]}, initialise=False)


def sequence_mask_clean():
    lengths = tf.placeholder(tf.int32, [2])
    run(tf.sequence_mask(lengths, 4), {lengths: [1, 3]}, initialise=False)


def gradients_clean():
    x = tf.placeholder(tf.float32, [3, 4])
    table = tf.get_variable("table", [10, 4])
    rows = tf.nn.embedding_lookup(table, tf.constant([1, 1, 2]))
    loss = tf.reduce_mean((tf.matmul(x, weights(4, 2)) + 1) ** 2) + tf.reduce_sum(rows)
    run(tf.train.AdamOptimizer().minimize(loss), {x: np.ones((3, 4))})


def recurrent_clean():
    inputs = tf.constant(np.ones((2, 5, 3), np.float32))

    def step(state, value):
        return tf.tanh(state + tf.matmul(value, weights(3, 3)))

    with tf.variable_scope("scan", reuse=tf.AUTO_REUSE):
        outputs = tf.scan(step, tf.transpose(inputs, [1, 0, 2]), tf.zeros((2, 3)))
    loss = tf.reduce_mean(outputs)
    run(tf.train.GradientDescentOptimizer(0.1).minimize(loss))


def changing_feed():
    x = tf.placeholder_with_default(np.zeros((2, 4), np.float32), [2, 4])
    y = tf.placeholder(tf.float32, [None, 3])  # EMU-SHAPE-1 EMU-SHAPE-2
    total = tf.reduce_sum(x) + tf.reduce_sum(y)
    with tf.Session() as session:
        for rows in (2, 5, 7):
            session.run(total, {y: np.zeros((rows, 3))})


def smaller_last_feed():
    y = tf.placeholder(tf.float32, [None, 3])  # EMU-SHAPE-1
    total = tf.reduce_sum(y)
    with tf.Session() as session:
        for rows in (4, 4, 2):
            session.run(total, {y: np.zeros((rows, 3))})  # EMU-BATCH-1


def two_feeds_clean():
    y = tf.placeholder(tf.float32, [2, 3])
    total, mean = tf.reduce_sum(y), tf.reduce_mean(y)
    with tf.Session() as session:
        for fetch in (total, mean, total):
            session.run(fetch, {y: np.zeros((2, 3))})


def dataset_with_remainder():
    dataset = tf.data.Dataset.from_tensor_slices(np.zeros((5, 3), np.float32)).repeat()
    dataset = dataset.batch(2)  # EMU-BATCH-1
    iterator = tf.data.make_initializable_iterator(dataset.prefetch(1))
    total = tf.reduce_sum(iterator.get_next())
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(total)


def one_shot_dataset_with_remainder():
    dataset = tf.data.Dataset.from_tensor_slices(np.zeros((5, 3), np.float32))
    dataset = dataset.batch(2)  # EMU-BATCH-1
    run(tf.reduce_sum(tf.data.make_one_shot_iterator(dataset).get_next()), initialise=False)


def dataset_clean():
    dataset = tf.data.Dataset.from_tensor_slices((np.zeros((5, 3)), np.array(list("abcde"))))
    dataset = dataset.map(lambda x, name: (tf.cast(x, tf.float32), name))
    dataset = dataset.batch(2, drop_remainder=True)
    values, names = tf.data.make_one_shot_iterator(dataset).get_next()
    run([tf.reduce_sum(values), names], initialise=False)


def dataset_of_open_images():
    dataset = tf.data.Dataset.from_generator(
        lambda: iter([np.zeros((2, 3), np.float32)] * 4), tf.float32, [None, 3]
    )
    dataset = dataset.batch(2, drop_remainder=True)
    values = tf.data.make_one_shot_iterator(dataset).get_next()  # EMU-SHAPE-1
    run(tf.reduce_sum(values), initialise=False)


# --- types -----------------------------------------------------------------------------------


def double():
    x = tf.placeholder(tf.float32, [3])
    y = tf.cast(x, tf.float64)  # EMU-TYPE-1
    run(tf.reduce_sum(y * y), {x: [1, 2, 3]}, initialise=False)


def double_variable():
    w = tf.get_variable("w", [3], tf.float64)  # EMU-TYPE-1
    run(tf.reduce_sum(w * 2))


def double_array_into_single_clean():
    x = tf.placeholder(tf.float32, [3])
    run(tf.reduce_sum(x), {x: np.zeros(3, np.float64)}, initialise=False)


def double_cast_away_clean():
    x = tf.placeholder(tf.float64, [3])
    run(tf.reduce_sum(tf.cast(x, tf.float32)), {x: np.zeros(3)}, initialise=False)


def double_in_mixed_computing_clean():
    x = tf.constant([1.0], tf.float64)
    run(x * x, initialise=False, config=npu_config(*MIXED))


def complex_numbers():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    y = tf.signal.rfft(x)  # EMU-TYPE-1
    run(tf.abs(y), initialise=False)


def string_in_network():
    phase = tf.placeholder(tf.string, [])  # EMU-TYPE-2
    training = tf.equal(phase, "train")  # EMU-TYPE-2
    run(tf.cond(training, lambda: weights(2) * 2, lambda: tf.zeros((2,))), {phase: "train"})


def strings_of_the_host_clean():
    w = weights(3)
    loss = tf.reduce_sum(w)
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("w", w)
    checked = tf.Assert(loss < 100, [loss, "too large"])
    guarded = tf.debugging.assert_less(loss, 100.0, message="too large")
    with tf.control_dependencies([checked, guarded]):
        loss = tf.identity(loss)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.report_uninitialized_variables())
        session.run(tf.global_variables_initializer())
        session.run([loss, tf.summary.merge_all()])
        session.run(tf.train.GradientDescentOptimizer(1.0).minimize(loss))
        path = saver.save(session, sys.argv[1])
        saver.restore(session, path)


# --- operators -------------------------------------------------------------------------------


def finite_test():
    x = weights(3)
    ok = tf.reduce_all(tf.math.is_finite(x))  # EMU-OP-1
    run(ok)


def clip_clean():
    gradients = tf.gradients(tf.reduce_sum(weights(3)), tf.trainable_variables())
    run(tf.clip_by_global_norm(gradients, 1.0)[0])


def loss_scale_clean():
    loss = tf.reduce_sum(weights(3) ** 2)
    manager = FixedLossScaleManager(8)
    optimizer = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), manager)
    run(optimizer.minimize(loss))


def python_function():
    x = weights(3)
    y = tf.py_func(lambda value: value * 2, [x], tf.float32)  # EMU-OP-2
    run(tf.reduce_sum(y))


def python_function_in_mixed_computing_clean():
    y = tf.py_func(lambda value: value * 2, [weights(3)], tf.float32)
    y.set_shape([3])
    run(tf.reduce_sum(y), config=npu_config(*MIXED))


def python_function_without_a_shape():
    y = tf.py_func(lambda value: value * 2, [weights(3)], tf.float32)  # EMU-SHAPE-1
    run(tf.reduce_sum(y), config=npu_config(*MIXED))


def python_function_for_a_summary_clean():
    loss = tf.reduce_sum(weights(3))
    picture = tf.py_func(lambda value: np.zeros((1, 2, 2, 1), np.uint8), [loss], tf.uint8)
    run([loss, tf.summary.image("picture", picture)])


def collective_clean():
    loss = hccl_ops.allreduce(tf.reduce_sum(weights(3) * 2), "sum")
    run(loss + 1)


def lookup_table():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(np.array([1, 2], np.int64), np.array([5, 6], np.int64)),
        -1,
    )
    found = table.lookup(tf.constant([1], tf.int64))  # EMU-OP-2
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        session.run(found + 1)


def ctc_loss():
    labels = tf.SparseTensor(tf.constant([[0, 0]], tf.int64), [1], tf.constant([1, 1], tf.int64))
    loss = tf.nn.ctc_loss(labels, tf.zeros((3, 1, 4)), [3])  # EMU-OP-1
    run(tf.reduce_sum(loss), initialise=False)


def queue():
    batch = tf.train.shuffle_batch([tf.constant(1.0)], 2, 10, 2)  # EMU-OP-2
    _with_queues(batch * 2)


def batch_with_one_thread_clean():
    _with_queues(tf.train.batch([tf.constant(1.0)], 2) * 2)


def _with_queues(fetch):
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        session.run(fetch)
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)


# --- sessions --------------------------------------------------------------------------------


def initialised_together():
    w, iterator = weights(3), _iterator()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])  # EMU-SESS-4
        session.run(w + iterator.get_next())


def initialised_apart_clean():
    w, iterator = weights(3), _iterator()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        session.run(w + iterator.get_next())


def _iterator():
    dataset = tf.data.Dataset.from_tensors(np.zeros(3, np.float32))
    return tf.data.make_initializable_iterator(dataset)


def two_overflow_checks():
    updates = [_scaled("a"), _scaled("b")]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(updates)  # EMU-SESS-5


def two_overflow_checks_apart_clean():
    updates = [_scaled("a"), _scaled("b")]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for update in updates:
            session.run(update)


def _scaled(name):
    loss = tf.reduce_sum(tf.get_variable(name, [3]) ** 2)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    return NPULossScaleOptimizer(optimizer, FixedLossScaleManager(8)).minimize(
        loss, var_list=[tf.trainable_variables()[-1]]
    )


def memory_optimization():
    config = npu_config()
    config.graph_options.rewrite_options.memory_optimization = 0
    with tf.Session(config=config) as session:  # EMU-SESS-2
        session.run(tf.constant(1.0))


def never_closed():
    session = tf.Session()  # EMU-SESS-3
    session.run(tf.constant(1.0))
    _kept.append(session)


def closed_clean():
    session = tf.Session()
    session.run(tf.constant(1.0))
    session.close()
    _kept.append(session)


def monitored_clean():
    loss = tf.reduce_sum(weights(3))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    hooks = [tf.train.StopAtStepHook(2)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run([train, loss])


_kept = []


# --- options ---------------------------------------------------------------------------------


def options():
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.memory_optimization = 2
    entry = config.graph_options.rewrite_options.custom_optimizers.add()
    entry.name = "NpuOptimizer"
    entry.parameter_map["sump_mode"].s = b"all"  # EMU-OPT-1
    entry.parameter_map["horovod_mode"].b = True  # EMU-OPT-1
    entry.parameter_map["jit_compile"].b = True  # EMU-OPT-2
    entry.parameter_map["graph_run_mode"].i = 7  # EMU-OPT-2
    entry.parameter_map["aoe_mode"].s = b"9"  # EMU-OPT-2
    entry.parameter_map["dump_step"].s = b"9-3"  # EMU-OPT-2
    entry.parameter_map["precision_mode"].s = b"allow_mix_precision"  # EMU-OPT-3
    entry.parameter_map["precision_mode_v2"].s = b"mixed_float16"
    entry.parameter_map["enable_dump"].b = True  # EMU-OPT-3
    run(tf.constant(1.0), initialise=False, config=config)


def options_clean():
    run(
        tf.constant(1.0),
        initialise=False,
        config=npu_config(
            ("use_off_line", "b", True),
            ("op_compiler_cache_mode", "s", b"enable"),
            ("hcom_parallel", "b", True),
            ("iterations_per_loop", "i", 1),
            ("enable_exception_dump", "i", 2),
        ),
    )


def host_session_clean():
    x = tf.placeholder(tf.float64, [None])
    config = npu_config(("use_off_line", "b", False))
    run(tf.reduce_sum(x), {x: [1.0]}, initialise=False, config=config)


def cases():
    found = [item for name, item in sorted(globals().items()) if _is_case(name, item)]
    return sorted(found, key=lambda item: item.__code__.co_firstlineno)


def _is_case(name, item):
    code = getattr(item, "__code__", None)
    mine = code is not None and code.co_filename == __file__ and code.co_argcount == 0
    return mine and not name.startswith("_") and name != "cases"


if __name__ == "__main__":
    for case in cases():
        with tf.Graph().as_default():
            print("case", case.__name__, flush=True)
            case()
