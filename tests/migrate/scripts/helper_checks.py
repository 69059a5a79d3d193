"""Functions of the helper modules against those of TensorFlow that they replace."""

import sys
import tempfile

import masked_reductions
import npu_callbacks
import npu_ctc
import npu_lstm
import npu_text
import numpy as np
import tensorflow as tf
from ops_harness import numbers, run_checks, same

cells = tf.nn.rnn_cell
TIME, BATCH, CLASSES, INPUT, UNITS = 7, 5, 4, 3, 4
LABELS = [[0, 1, 2], [1, 1], [0, 0], [0, 2, 2, 1], [2]]
LENGTHS = np.array([7, 6, 5, 7, 3])


def sparse_value(rows):
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = [value for row in rows for value in row]
    shape = [len(rows), max(map(len, rows))]
    return tf.SparseTensorValue(
        np.array(places, np.int64), np.array(values, np.int32), np.array(shape, np.int64)
    )


def compare_losses(rows, time_major=True, lengths=LENGTHS, every_origin=False, **options):
    """Losses and gradients are those of tf.nn.ctc_loss, for labels that are fed or made sparse."""
    x = numbers(TIME, BATCH, CLASSES)
    logits = tf.constant(x if time_major else x.transpose(1, 0, 2))
    plain, fed = tf.sparse_placeholder(tf.int32), npu_ctc.sparse_placeholder(tf.int32)
    weights = np.arange(1.0, BATCH + 1)
    results = []
    origins = [(tf.nn.ctc_loss, plain), (npu_ctc.ctc_loss, fed)]
    if every_origin:
        cast = tf.cast(tf.cast(fed, tf.int64), tf.int32)
        origins += [(npu_ctc.ctc_loss, plain), (npu_ctc.ctc_loss, cast)]
    for function, labels in origins:
        loss = function(labels, logits, lengths, time_major=time_major, **options)
        results.append([loss, tf.gradients(tf.reduce_sum(loss * weights), logits)[0]])
    with tf.Session() as session:
        feed = {plain: sparse_value(rows), fed: sparse_value(rows)}
        expected, *found = session.run(results, feed)
    for loss, gradient in found:
        same(loss, expected[0])
        same(gradient, expected[1])


def check_loss():
    compare_losses(LABELS, every_origin=True)


def check_loss_of_whole_sequences_with_batches_first():
    compare_losses(LABELS, time_major=False, lengths=TIME * np.ones(BATCH))


def check_loss_without_labels_that_are_too_long():
    compare_losses([*LABELS[:4], [0, 1, 2, 0, 1, 2, 0, 1]], ignore_longer_outputs_than_inputs=True)


def check_labels_that_are_too_long_are_an_error():
    labels = npu_ctc.sparse_placeholder(tf.int32)
    loss = npu_ctc.ctc_loss(labels, tf.constant(numbers(TIME, BATCH, CLASSES)), LENGTHS)
    with tf.Session() as session:
        try:
            session.run(loss, {labels: sparse_value([*LABELS[:4], [1] * (TIME + 1)])})
        except ValueError as error:
            assert "a label has 8 values, but the network gives CTC 7 frames" in str(error)
        else:
            raise AssertionError("the label was cut")


def check_loss_of_collapsed_labels():
    compare_losses(LABELS, preprocess_collapse_repeated=True)


def check_labels_are_fed_and_fetched_as_before():
    labels = npu_ctc.sparse_placeholder(tf.int32)
    with tf.Session() as session:
        given = sparse_value(LABELS)
        for found in session.run([labels, labels], {labels: given}):
            for part, expected in zip(found, given):
                np.testing.assert_array_equal(part, expected)
        found = session.run(labels, {labels: tuple(given)})
    np.testing.assert_array_equal(found.values, given.values)


def check_distance_of_decoded_labels():
    logits = tf.constant(numbers(TIME, BATCH, CLASSES))
    plain, fed = tf.sparse_placeholder(tf.int32), npu_ctc.sparse_placeholder(tf.int32)
    distances = []
    for greedy, beam, distance, labels in (
        (tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder, tf.edit_distance, plain),
        (npu_ctc.ctc_greedy_decoder, npu_ctc.ctc_beam_search_decoder, npu_ctc.edit_distance, fed),
    ):
        for decoder in (greedy, beam):
            decoded, _ = decoder(logits, LENGTHS.astype(np.int32))
            distances.append(distance(tf.cast(decoded[0], tf.int32), labels))
    with tf.Session() as session:
        feed = {plain: sparse_value(LABELS), fed: sparse_value(LABELS)}
        found = session.run(distances, feed)
    np.testing.assert_array_equal(found[:2], found[2:])


def check_iterator():
    def parse(size):
        indices = tf.where(tf.ones([size], tf.bool))
        return size, tf.SparseTensor(indices, tf.range(size), tf.expand_dims(size, 0))

    dataset = tf.data.Dataset.from_tensor_slices(tf.constant([2, 3, 1, 4], tf.int64))
    dataset = dataset.map(parse).batch(2, drop_remainder=True)
    iterator = npu_ctc.make_initializable_iterator(dataset, longest=5)
    sizes, labels = iterator.get_next()
    assert labels.dense.shape.as_list() == [2, 5]
    with tf.Session() as session:
        session.run(iterator.initializer)
        _, dense, found = session.run([sizes, labels.dense, labels])
        np.testing.assert_array_equal(dense, [[0, 1, -1, -1, -1], [0, 1, 2, -1, -1]])
        np.testing.assert_array_equal(found.values, [0, 1, 0, 1, 2])
        np.testing.assert_array_equal(found.dense_shape, [2, 3])


def check_dense_labels_made_sparse():
    dense = tf.constant([[3, 0, 5, 0], [1, 2, 3, 4]])
    made = npu_ctc.dense_to_sparse(dense), tf.contrib.layers.dense_to_sparse(dense)
    keras = npu_ctc.ctc_label_dense_to_sparse(dense, tf.constant([[1], [4]]))
    with tf.Session() as session:
        found, expected, of_keras = session.run([*made, keras])
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(of_keras.values, [3, 1, 2, 3, 4])


def check_words():
    known = npu_text.equal(tf.constant("train"), "train"), npu_text.not_equal("val", b"val")
    fed = npu_text.placeholder(tf.string, [], name="phase")
    default = npu_text.placeholder_with_default("train", [])
    answers = [npu_text.equal(fed, tf.constant("train")), npu_text.not_equal(default, "train")]
    assert all(item.op.type == "Const" for item in known)
    assert not any(item.dtype == tf.string for answer in answers for item in answer.op.inputs)
    with tf.Session() as session:
        assert session.run([*known, *answers], {fed: "train"}) == [True, False, True, False]
        found = session.run([fed, *answers], {fed: b"val", default: "test"})
        assert found == [b"val", False, True], found


def compare_networks(build, kept=False):
    """Outputs, gradients and variables are those of TensorFlow; ``kept``: so are the operators."""
    values, variables = [], []
    x = numbers(BATCH, TIME, INPUT)
    for module in (None, npu_lstm):
        with tf.Graph().as_default() as graph:
            inputs = tf.constant(x)
            outputs = tf.nest.flatten(build(module, inputs))
            trained = sorted(tf.trainable_variables(), key=lambda item: item.op.name)
            variables.append(
                [(item.op.name, item.shape.as_list()) for item in tf.global_variables()]
            )
            loss = sum(tf.reduce_sum(item * item) for item in outputs)
            with tf.Session(graph=graph) as session:
                session.run(tf.global_variables_initializer())
                for number, item in enumerate(trained):
                    item.load(0.3 * numbers(*item.shape.as_list(), seed=number), session)
                values.append(session.run(outputs + tf.gradients(loss, [inputs, *trained])))
            fused = any("npu_lstm" in node.name for node in graph.as_graph_def().node)
            assert fused == (module is not None and not kept)
    assert sorted(variables[0]) == sorted(variables[1]), variables
    assert len(values[0]) == len(values[1])
    for expected, found in zip(*values):
        same(found, expected, 2e-5)


def function(module, name):
    return getattr(module or (tf.nn if hasattr(tf.nn, name) else tf.contrib.rnn), name)


def check_layer_with_lengths():
    def build(module, inputs):
        run = function(module, "dynamic_rnn")
        cell = cells.MultiRNNCell(
            [
                cells.LSTMCell(UNITS),
                cells.DropoutWrapper(cells.BasicLSTMCell(UNITS, forget_bias=0.5), 1.0, 1.0),
                cells.ResidualWrapper(tf.contrib.rnn.LSTMBlockCell(UNITS)),
            ]
        )
        first = tf.nest.map_structure(lambda item: item + 0.3, cell.zero_state(BATCH, tf.float32))
        return run(cell, inputs, LENGTHS, first, scope="mine")

    compare_networks(build)


def check_stack_of_both_directions():
    def build(module, inputs):
        run = function(module, "stack_bidirectional_dynamic_rnn")
        both = [[cells.LSTMCell(UNITS) for _ in range(2)] for _ in range(2)]
        return run(*both, inputs, dtype=tf.float32, sequence_length=LENGTHS)

    compare_networks(build)


def check_unrolled_in_both_directions():
    def build(module, inputs):
        run = function(module, "stack_bidirectional_rnn")
        both = [[cells.BasicLSTMCell(UNITS)] for _ in range(2)]
        return run(*both, tf.unstack(inputs, axis=1), dtype=tf.float32)

    compare_networks(build)


def check_cells_that_stay_loops():
    def build(module, inputs):
        run = function(module, "static_rnn")
        steps = tf.unstack(inputs, axis=1)
        made = [
            cells.GRUCell(2),
            cells.LSTMCell(2, use_peepholes=True),
            cells.LSTMCell(2, num_proj=1),
        ]
        made += [cells.DropoutWrapper(cells.LSTMCell(2), state_keep_prob=0.999999)]
        return [
            run(cell, steps, dtype=tf.float32, scope=f"cell{number}")
            for number, cell in enumerate(made[:3])
        ] + [npu_lstm._reason_of_cell(made[3]).count("one step to the next") * inputs]

    compare_networks(build, kept=True)


def check_checkpoints_of_loops_load_and_the_reverse():
    """Trained weights and their Adam slots pass from one version to the other by a Saver."""
    x = numbers(BATCH, TIME, INPUT)

    def run(module, restored, path):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            layer = function(module, "stack_bidirectional_dynamic_rnn")
            both = [[cells.LSTMCell(UNITS) for _ in range(2)] for _ in range(2)]
            outputs = layer(*both, tf.constant(x), dtype=tf.float32, sequence_length=LENGTHS)[0]
            loss = tf.reduce_sum(tf.square(outputs - 0.5))
            step = tf.train.AdamOptimizer(0.1).minimize(loss)
            saver = tf.train.Saver()
            if restored:
                saver.restore(session, restored)
            else:
                session.run(tf.global_variables_initializer())
                session.run([step] * 3)
                saver.save(session, path)
            before = session.run(outputs)
            session.run(step)
            return before, session.run(outputs)

    with tempfile.TemporaryDirectory() as folder:
        for number, (writer, reader) in enumerate([(None, npu_lstm), (npu_lstm, None)]):
            path = f"{folder}/model{number}.ckpt"
            written = run(writer, None, path)
            read = run(reader, path, None)
            untrained = run(reader, None, path + "-other")
            assert np.abs(untrained[0] - written[0]).max() > 1e-2
            for expected, found in zip(written, read):
                same(found, expected, 1e-4)


def rates(callback, epochs=3, steps=4):
    """The learning rate and momentum of every batch of a training with a callback."""
    found = []

    class Recorder(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            optimizer = self.model.optimizer
            values = (optimizer.lr, optimizer.momentum)
            found.append([float(tf.keras.backend.get_value(value)) for value in values])

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse")
    x, y = numbers(2 * steps, 2), numbers(2 * steps, 1)
    options = {"batch_size": 2, "epochs": epochs, "shuffle": False, "verbose": 0}
    history = model.fit(x, y, callbacks=[callback, Recorder()], **options)
    assert history.history["lr"][-1] == np.float32(found[-1][0])
    same(tf.keras.backend.get_value(model.optimizer.momentum), 0.9)
    return np.array(found)


def check_rates_rise_to_that_of_all_devices():
    npu_callbacks._RANKS = 2
    found = rates(npu_callbacks.LearningRateWarmupCallback(warmup_epochs=2))
    expected = [0.1 * 0.5 * (batch / 8.0 + 1) for batch in range(1, 9)] + [0.1] * 4
    same(found[:, 0], expected)
    before = [0.1, *expected[:7]]
    same(found[:8, 1], [0.9 * new / old for new, old in zip(expected, before)])
    same(found[8:, 1], [0.9] * 4)


def check_one_device_keeps_its_rate():
    npu_callbacks._RANKS = 1
    same(rates(npu_callbacks.LearningRateWarmupCallback(0.1, warmup_epochs=2))[:, 0], [0.1] * 12)


def check_rates_by_epoch():
    one = npu_callbacks.LearningRateScheduleCallback(0.1, multiplier=0.5, start_epoch=1)
    same(rates(one)[:, 0], [0.1] * 4 + [0.05] * 8)
    two = npu_callbacks.LearningRateScheduleCallback(
        0.1, lambda epoch: 1.0 / (1 + epoch), end_epoch=2, momentum_correction=False
    )
    same(rates(two)[:, 0], [0.1] * 4 + [0.05] * 8)


def check_masked_reductions():
    """Values and gradients are those of tf.boolean_mask, also where nothing is chosen."""
    for reduction, masked in (
        (tf.reduce_mean, masked_reductions.npu_masked_mean),
        (tf.reduce_sum, masked_reductions.npu_masked_sum),
    ):
        for shape, ndims in (([6], 1), ([6, 5], 1), ([6, 5], 2), ([6, 5, 3], 2)):
            x, mask = tf.placeholder(tf.float32, shape), tf.placeholder(tf.bool, shape[:ndims])
            chosen = [reduction(tf.boolean_mask(x, mask)), masked(x, mask)]
            fetched = [[item, tf.gradients(item, x)[0]] for item in chosen]
            some = numbers(*shape[:ndims]) > 0
            with tf.Session() as session:
                for given in (some, ~some, some & ~some):
                    expected, found = session.run(
                        fetched, {x: numbers(*shape, seed=5), mask: given}
                    )
                    same(found[0], expected[0])
                    same(found[1][given], expected[1][given])
        whole = tf.constant([-3, 4, -5, 7])
        for given in ([1, 0, 1, 1], [1, 0, 2, 0]):
            with tf.Session() as session:
                values = session.run(
                    [reduction(tf.boolean_mask(whole, given)), masked(whole, given)]
                )
            assert values[0] == values[1], values


def check_a_network_that_is_reused():
    def build(module, inputs):
        run = function(module, "dynamic_rnn")
        results = []
        for reuse in (False, True):
            with tf.variable_scope("net", reuse=reuse):
                results.append(run(cells.LSTMCell(UNITS), inputs, dtype=tf.float32)[0])
        return results

    compare_networks(build)


run_checks([sys.modules[__name__]])
