"""Values against numpy, gradients against plain formulas."""

import tempfile
import threading

import numpy as np
from ascendify_runtime.framework import tf
from keras_2 import KERAS
from npu_bridge.estimator import npu_aicore_ops, npu_ops, npu_unary_ops
from npu_bridge.experimental import file_constant, get_shape, image
from npu_bridge.image import image_ops
from npu_bridge.npu_cpu import lru_cache, npu_cpu_ops
from npu_bridge.tbe import npu_cube_ops, npu_vector_ops
from ops_harness import evaluate, numbers, same, same_as_formula


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def check_gelu_is_the_tanh_form():
    same_as_formula(
        npu_unary_ops.npu_unary_ops.gelu,
        lambda x: 0.5 * x * (1 + tf.tanh(0.7978845608 * (x + 0.044715 * x * x * x))),
        numbers(4, 5),
    )


def check_gelu_makes_as_many_nodes_as_the_bert_sources_do():
    counts = []
    for function in (npu_unary_ops.npu_unary_ops.gelu, bert_gelu):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [2])
            before = len(graph.get_operations())
            function(x)
            counts.append(len(graph.get_operations()) - before)
    assert counts[0] == counts[1], counts


def bert_gelu(x):
    cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))
    return x * cdf


def check_fast_gelu():
    same_as_formula(
        npu_aicore_ops.npu_aicore_ops.fast_gelu,
        lambda x: x / (1 + tf.exp(-1.702 * x)),
        numbers(4, 5),
    )


def check_fast_gelu_v2_stays_near_gelu():
    x = numbers(50)
    found, exact = evaluate(npu_aicore_ops.fast_gelu_v2(tf.constant(x)), tf.erf(x / np.sqrt(2.0)))
    assert np.abs(found - 0.5 * x * (1 + exact)).max() < 0.02
    clipped = np.minimum(np.abs(0.7071 * x), 1.769) - 1.769
    same(found, x * (np.sign(x) * (-0.1444 * clipped**2 + 0.5) + 0.5))


def check_prelu():
    same_as_formula(
        npu_aicore_ops.prelu,
        lambda x, a: tf.nn.relu(x) - a * tf.nn.relu(-x),
        numbers(3, 4),
        numbers(4, seed=5),
    )


def check_centralization():
    same_as_formula(
        lambda x: npu_aicore_ops.centralization(x, [0, 2]),
        lambda x: x - tf.reduce_sum(x, axis=[0, 2], keepdims=True) / 6.0,
        numbers(2, 4, 3),
    )


def check_layer_norm():
    x, gamma, beta = numbers(2, 3, 4), numbers(3, 4, seed=1), numbers(3, 4, seed=2)

    def plain(x, gamma, beta):
        mean, variance = tf.nn.moments(x, axes=[1, 2], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-7)

    same_as_formula(
        lambda *inputs: npu_aicore_ops.layer_norm(*inputs, begin_norm_axis=1)[0],
        plain,
        x,
        gamma,
        beta,
        tolerance=1e-4,
    )
    outputs = npu_aicore_ops.layer_norm(x, gamma, beta, begin_norm_axis=1, begin_params_axis=1)
    assert isinstance(outputs, list)
    _, mean, variance = evaluate(*outputs)
    same(mean, x.mean(axis=(1, 2), keepdims=True))
    same(variance, x.var(axis=(1, 2), keepdims=True))


def check_nonzero():
    x = np.array([[0, 3, 0], [4, 0, 5]], np.float32)
    rows, columns, truth = evaluate(
        npu_aicore_ops.nonzero(x),
        npu_aicore_ops.nonzero(x, transpose=True, output_type=tf.int32),
        npu_aicore_ops.nonzero(x > 0),
    )
    assert rows.tolist() == truth.tolist() == [[0, 1], [1, 0], [1, 2]]
    assert rows.dtype == np.int64
    assert columns.tolist() == [[0, 1, 1], [1, 0, 2]]
    assert columns.dtype == np.int32


def check_nonzero_with_value_and_its_cut():
    x = np.array([[0, 3, 0], [4, 0, 5]], np.float32)
    outputs = npu_aicore_ops.nonzerowithvalue(x, transpose=True, output_type=tf.int32)
    value, index, count = evaluate(*outputs)
    assert value.tolist() == [3, 4, 5, 0, 0, 0]
    assert index.tolist() == [0, 1, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0]
    assert count.tolist() == [3]
    for cut in (npu_cpu_ops.non_zero_with_value_shape, npu_cpu_ops.non_zero_with_value_shape_v2):
        value, index = evaluate(*cut(*outputs))
        assert value.tolist() == [3, 4, 5]
        assert index.tolist() == [[0, 1, 1], [1, 0, 2]]


def check_lars():
    weights = [numbers(3, 2), numbers(4, seed=8)]
    gradients = [numbers(3, 2, seed=6), numbers(4, seed=7)]
    found = evaluate(
        *npu_ops.LARS(list(map(tf.constant, weights)), list(map(tf.constant, gradients)), 0.1)
    )
    for weight, gradient, result in zip(weights, gradients, found):
        norms = np.linalg.norm(weight), np.linalg.norm(gradient)
        coefficient = 0.001 * norms[0] / (norms[1] + 0.1 * norms[0] + 1e-5)
        same(result, coefficient * (gradient + 0.1 * weight))


def check_lars_v2():
    weight, gradient = numbers(3, 2), numbers(3, 2, seed=6)
    plain, clipped, free = evaluate(
        npu_ops.LARSV2(weight, gradient, 0.1, 0.01),
        npu_ops.LARSV2(weight, gradient, 0.1, 1e-6, use_clip=True),
        npu_ops.LARSV2(weight, gradient, 0.1, 0.01, use_clip=True),
    )
    norms = np.linalg.norm(weight), np.linalg.norm(gradient)
    coefficient = 0.001 * norms[0] / (norms[1] + 0.1 * norms[0] + 1e-5)
    direction = gradient + 0.1 * weight
    same(plain, coefficient * direction)
    same(clipped, direction)
    same(free, coefficient / 0.01 * direction)


def check_basic_lstm_cell_is_tensorflows():
    x, h, c = numbers(2, 3), numbers(2, 4, seed=1), numbers(2, 4, seed=2)
    w, b = numbers(7, 16, seed=4), numbers(16, seed=5)
    step = npu_ops.basic_lstm_cell(x, h, c, w, b, 1.0, 0.5, True, "tanh")
    assert step._fields == ("ct", "ht", "it", "jt", "ft", "ot", "tanhct")
    found = evaluate(*step)
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, axis=1)
    it, jt, ft, ot = sigmoid(i), np.tanh(j), sigmoid(f + 0.5), sigmoid(o)
    ct = c * ft + it * jt
    for value, expected in zip(found, (ct, np.tanh(ct) * ot, it, jt, ft, ot, np.tanh(ct))):
        same(value, expected)
    if KERAS == 3:
        return  # it has no such cell to compare with
    cell = tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=0.5)
    _, state = cell(tf.constant(x), tf.nn.rnn_cell.LSTMStateTuple(tf.constant(c), tf.constant(h)))
    kernel, bias = cell.variables
    with tf.Session() as session:
        session.run([kernel.initializer, bias.initializer])
        kernel.load(w, session)
        bias.load(b, session)
        expected = session.run(state)
    same(found[0], expected.c)
    same(found[1], expected.h)


def adam(decay):
    grad, v, m, weight = numbers(3), np.abs(numbers(3, seed=1)), numbers(3, seed=2), numbers(3)
    state = [tf.Variable(value) for value in (v, m, weight)]
    scalars = [0.9, 0.1, 0.99, 0.01] + ([0.3] if decay else []) + [1e-6]
    operator = npu_ops.adam_apply_one_with_decay_assign if decay else npu_ops.adam_apply_one_assign
    update = operator(grad, state[0], state[1], state[2], 0.5, *scalars)
    assert isinstance(update, tf.Operation), update
    next_v, next_m = 0.99 * v + 0.01 * grad**2, 0.9 * m + 0.1 * grad
    step = next_m / (np.sqrt(next_v) + 1e-6) + (0.3 * weight if decay else 0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        found = session.run(state)
    for value, expected in zip(found, (next_v, next_m, weight - 0.5 * step)):
        same(value, expected)


def check_adam_apply_one_assign():
    adam(decay=False)


def check_adam_apply_one_with_decay_assign():
    adam(decay=True)


def check_lamb():
    grad, v, m, weight = numbers(3), np.abs(numbers(3, seed=1)), numbers(3, seed=2), numbers(3)
    state = [tf.Variable(value) for value in (v, m, weight)]
    update, next_v, next_m = npu_vector_ops.lamb_apply_optimizer_assign(
        grad, state[0], state[1], state[2], 0.9, 0.1, 0.99, 0.01, 1e-6, 3.0, 1.0, 0.2
    )
    written = npu_vector_ops.lamb_apply_weight_assign(
        tf.constant(2.0), tf.constant(4.0), 0.1, update, state[2]
    )
    expected_v, expected_m = 0.99 * v + 0.01 * grad**2, 0.9 * m + 0.1 * grad
    first = expected_m / (1 - 0.9**3)
    second = expected_v / (1 - 0.99**3)
    expected = first / (np.sqrt(second) + 1e-6) + 0.2 * weight
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([update, next_v, next_m, written])
        stored = session.run(state)
    moved = weight - 0.5 * 0.1 * expected
    for value, wanted in zip(found, (expected, expected_v, expected_m, moved)):
        same(value, wanted, 1e-4)
    for value, wanted in zip(stored, (expected_v, expected_m, moved)):
        same(value, wanted, 1e-4)


def check_lamb_weight_without_norms_moves_by_the_update():
    for norms in ((0.0, 3.0), (3.0, 0.0)):
        weight = tf.Variable([1.0, 2.0])
        moved = npu_vector_ops.lamb_apply_weight_assign(
            tf.constant(norms[0]), tf.constant(norms[1]), 0.5, tf.constant([1.0, 1.0]), weight
        )
        same(evaluate(moved)[0], [0.5, 1.5])


def check_scatter_elements():
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    indices = np.array([[0, 2, -1, 1], [1, 0, 0, 2]], np.int32)
    updates = -np.arange(8, dtype=np.float32).reshape(2, 4)
    expected = data.copy()
    for row in range(2):
        for column in range(4):
            expected[indices[row, column], column] = updates[row, column]
    columns = np.array([[3], [0], [2]], np.int64)
    by_column = data.copy()
    by_column[range(3), columns[:, 0]] = [7, 8, 9]
    found = evaluate(
        npu_ops.scatter_elements(data, indices, updates),
        npu_ops.scatter_elements(data, columns, np.array([[7], [8], [9]], "f"), axis=-1),
    )
    same(found[0], expected)
    same(found[1], by_column)
    tensors = [tf.constant(data), tf.constant(updates)]
    output = npu_ops.scatter_elements(tensors[0], tf.constant(indices), tensors[1])
    to_data, to_updates = evaluate(*tf.gradients(output, tensors))
    assert to_data.sum() == 4
    same(to_updates, np.ones([2, 4]))


def check_k_means_centroids():
    x, y = numbers(6, 2), numbers(3, 2, seed=4)
    square_x, square_y = (x**2).sum(1, keepdims=True), (y**2).sum(1, keepdims=True).T
    full = evaluate(*npu_ops.k_means_centroids(x, y, square_y, square_x))
    short = evaluate(*npu_ops.k_means_centroids(x, y, square_y, None))
    distances = ((x[:, None] - y[None]) ** 2).sum(2)
    nearest = distances.argmin(1)
    sums = np.array([x[nearest == k].sum(0) for k in range(3)])
    counts = np.array([[(nearest == k).sum()] for k in range(3)], "f")
    for found, total in ((full, 0.0), (short, square_x.sum())):
        same(found[0], sums)
        same(found[1], counts)
        same(found[2], [distances.min(1).sum() - total], 1e-4)


def check_channels_carry_values_between_threads_and_stop():
    enqueue = npu_ops.outfeed_enqueue_op("values", [tf.constant([1.0, 2.0]), tf.constant(7)])
    dequeue = npu_ops.outfeed_dequeue_op("values", [tf.float32, tf.int32], [[2], []])
    get_next = npu_ops.channel_get_next("values", [tf.float32, tf.int32], [[2], []])
    stop = npu_ops.stop_outfeed_dequeue_op("values")
    assert dequeue[0].shape.as_list() == [2]
    assert isinstance(enqueue, tf.Operation)
    seen = []
    config = tf.ConfigProto(inter_op_parallelism_threads=2, use_per_session_threads=True)
    with tf.Session(config=config) as session:

        def consume():
            try:
                while True:
                    seen.append(session.run(dequeue))
            except tf.errors.OutOfRangeError as error:
                seen.append(error)

        thread = threading.Thread(target=consume)
        thread.start()
        session.run(enqueue)
        session.run(enqueue)
        session.run(stop)
        thread.join(60)
        assert not thread.is_alive()
        with_name = npu_ops.outfeed_enqueue_op("other", [tf.constant(3)], name="feed")
        session.run(with_name)
    assert [value[1] for value in seen[:2]] == [7, 7]
    assert isinstance(seen[2], tf.errors.OutOfRangeError)
    assert get_next[1].dtype == tf.int32


def numpy_deformable(x, kernel, offsets, stride, pads, dilation, groups):
    kernel_height, kernel_width, channels, outputs = kernel.shape
    batch, height, width, _ = offsets.shape
    split = offsets.reshape(batch, height, width, 3, groups, kernel_height, kernel_width)
    result = np.zeros([batch, height, width, outputs])
    for n, i, j, r, s in np.ndindex(batch, height, width, kernel_height, kernel_width):
        for channel in range(channels):
            group = channel * groups // channels
            right, down, mask = split[n, i, j, :, group, r, s]
            value = numpy_bilinear(
                x[n, :, :, channel],
                i * stride - pads[0] + r * dilation + down,
                j * stride - pads[2] + s * dilation + right,
            )
            result[n, i, j] += mask * value * kernel[r, s, channel]
    return result


def numpy_bilinear(image, row, column):
    total = 0.0
    for r in (int(np.floor(row)), int(np.floor(row)) + 1):
        for c in (int(np.floor(column)), int(np.floor(column)) + 1):
            if 0 <= r < image.shape[0] and 0 <= c < image.shape[1]:
                total += image[r, c] * (1 - abs(row - r)) * (1 - abs(column - c))
    return total


def check_deformable_convolution_against_loops():
    x, kernel = numbers(2, 5, 6, 4), numbers(3, 2, 4, 3, seed=1)
    pads = [1, 1, 0, 1]
    offsets = numbers(2, 3, 3, 3 * 2 * 6, seed=2)
    arguments = {"pads": pads, "dilations": (1, 1, 1, 1), "deformable_groups": 2}
    found, turned = evaluate(
        npu_cube_ops.deformable_conv2d(x, kernel, offsets, strides=[1, 2, 2, 1], **arguments),
        npu_cube_ops.deformable_conv2d(
            x.transpose(0, 3, 1, 2),
            kernel,
            offsets.transpose(0, 3, 1, 2),
            strides=[1, 1, 2, 2],
            data_format="NCHW",
            **arguments,
        ),
    )
    expected = numpy_deformable(x, kernel, offsets, 2, pads, 1, 2)
    same(found, expected, 1e-4)
    same(turned, expected.transpose(0, 3, 1, 2), 1e-4)


def check_deformable_convolution_without_offsets_is_a_convolution():
    def still(x, kernel):
        offsets = np.zeros([1, 5, 5, 27], "f")
        offsets[..., 18:] = 1.0
        return npu_cube_ops.deformable_conv2d(
            x, kernel, tf.constant(offsets), strides=[1, 1, 1, 1], pads=[1, 1, 1, 1]
        )

    def plain(x, kernel):
        return tf.nn.conv2d(x, filter=kernel, strides=[1, 1, 1, 1], padding="SAME")

    same_as_formula(still, plain, numbers(1, 5, 5, 2), numbers(3, 3, 2, 3, seed=1), tolerance=1e-4)


def check_deformable_convolution_follows_its_offsets():
    x, kernel = tf.constant(numbers(1, 4, 4, 1)), tf.constant(numbers(1, 1, 1, 1, seed=1))
    where = tf.placeholder(tf.float32, [1, 4, 4, 3])
    output = tf.reduce_sum(
        npu_cube_ops.deformable_conv2d(x, kernel, where, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0])
    )
    gradient = tf.gradients(output, where)[0]
    place = np.random.RandomState(0).uniform(0.2, 0.8, [1, 4, 4, 3]).astype("f")
    with tf.Session() as session:
        found = session.run(gradient, {where: place})
        for index in ((0, 1, 1, 0), (0, 2, 1, 1), (0, 0, 0, 2)):
            values = []
            for step in (0.05, -0.05):
                moved = place.copy()
                moved[index] += step
                values.append(session.run(output, {where: moved}))
            same(found[index], (values[0] - values[1]) / 0.1, 1e-2)


def check_prelu_layer():
    layer = npu_vector_ops.PReLU(alpha_initializer=tf.keras.initializers.Constant(0.25))
    x = numbers(3, 4)
    output = layer(tf.constant(x))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(output)
    same(found, np.where(x > 0, x, 0.25 * x))
    assert layer.alpha.shape.as_list() == [1]


def check_dense_image_warp():
    image_value, flow = numbers(2, 4, 5, 3), numbers(2, 4, 5, 2, seed=7)
    found = evaluate(npu_cpu_ops.dense_image_warp(image_value, flow))[0]
    expected = np.zeros_like(image_value)
    for n, i, j in np.ndindex(2, 4, 5):
        row = np.clip(i - flow[n, i, j, 0], 0, 3)
        column = np.clip(j - flow[n, i, j, 1], 0, 4)
        for channel in range(3):
            expected[n, i, j, channel] = numpy_bilinear(image_value[n, :, :, channel], row, column)
    same(found, expected)
    still = npu_cpu_ops.dense_image_warp(tf.constant(image_value), tf.zeros([2, 4, 5, 2]))
    same(evaluate(still)[0], image_value)


def check_random_choice_with_mask():
    x = np.zeros([4, 5], bool)
    x[1, 2] = x[3, 4] = x[0, 0] = True
    y, mask = npu_cpu_ops.randomchoicewithmask(tf.constant(x), 5, seed=3)
    assert y.shape.as_list() == [5, 2]
    places, real = evaluate(y, mask)
    assert real.tolist() == [True, True, True, False, False]
    assert sorted(map(tuple, places[:3])) == [(0, 0), (1, 2), (3, 4)]
    assert not places[3:].any()
    few, _ = evaluate(*npu_cpu_ops.randomchoicewithmask(tf.constant(x), 2))
    assert all(x[tuple(place)] for place in few)
    everything, real = evaluate(*npu_cpu_ops.randomchoicewithmask(tf.constant(x), 0))
    assert len(everything) == 3
    assert real.all()


def check_stateless_choice_depends_on_its_seed_alone():
    x = tf.constant(np.ones([30], bool))
    first, again, other = evaluate(
        *[
            npu_cpu_ops.stateless_random_choice_with_mask(x, 10, seed, offset)[0]
            for seed, offset in ((1, 2), (1, 2), (1, 3))
        ]
    )
    assert first.tolist() == again.tolist() != other.tolist()


def check_embedding_tables():
    samples = numbers(6, 2)
    handle = npu_cpu_ops.init_embedding_hashmap_v2(4, 6, 1, 2, tf.float32)
    again = npu_cpu_ops.table_to_resource_v2(4, 6, 1, 2, tf.float32)
    start = npu_cpu_ops.init_embedding_hashtable(handle, samples, 6, 2, "random", 0.0)
    keys = tf.placeholder(tf.int64, [None])
    plain = lookup(again, keys)
    counted = lookup(again, keys, mode="counter", times=3, value=9.0)
    filtered = lookup(again, keys, value=5.0, key=30)
    size = npu_cpu_ops.embedding_hashmap_table_size_v2([4], False, "all")
    export = npu_cpu_ops.embedding_hash_table_export([again], [0], [2], [6])
    drop = npu_cpu_ops.deinit_embedding_hashmap_v2(4)
    assert plain.shape.as_list() == [None, 2]
    with tf.Session() as session:
        session.run(start)
        same(session.run(plain, {keys: [10, 20, 10]}), samples[[0, 1, 0]])
        same(session.run(counted, {keys: [20]}), [[9.0, 9.0]])
        same(session.run(counted, {keys: [20]}), samples[[1]])
        same(session.run(filtered, {keys: [30, 10]}), [[5.0, 5.0], samples[0]])
        assert session.run(size).tolist() == [2]
        exported = session.run(export)
        assert exported[0][0].tolist() == [10, 20]
        assert exported[1][0].tolist() == [3, 3]
        same(exported[3][0], samples[:2].ravel())
        copy = npu_cpu_ops.init_embedding_hashmap_v2(5, 6, 1, 2, tf.float32)
        session.run(npu_cpu_ops.init_embedding_hashtable(copy, None, 6, 2, "constant", 1.5))
        one = lookup(copy, keys)
        same(session.run(one, {keys: [77]}), [[1.5, 1.5]])
        session.run(
            npu_cpu_ops.embedding_hash_table_import(
                [copy], [2], [6], exported[0], exported[1], exported[2], exported[3]
            )
        )
        same(session.run(one, {keys: [20]}), samples[[1]])
        session.run(drop)
        try:
            session.run(again)
        except tf.errors.InvalidArgumentError as error:
            assert "there is no embedding table 4" in str(error)
        else:
            raise AssertionError("a dropped table is still there")


def lookup(handle, keys, mode="no_filter", times=0, value=0.0, key=None):
    return npu_cpu_ops.embedding_hashtable_lookup_or_insert(
        handle, keys, 6, 2, mode, times, False, 0, value, key is not None, key
    )


def check_feature_mapping():
    features = tf.placeholder(tf.int64, [None])
    often = npu_cpu_ops.host_feature_mapping(features, threshold=2, table_name="often")
    at_once = npu_cpu_ops.device_feature_mapping(features)
    with tf.Session() as session:
        assert session.run(often, {features: [5, 6, 5]}).tolist() == [-1, -1, 0]
        assert session.run(often, {features: [6, 5, 7]}).tolist() == [1, 0, -1]
        mapped = session.run(at_once, {features: [50, 60, 50]})
        assert mapped.tolist() == [0, 1, 0]
        assert mapped.dtype == np.int32


def check_lru_cache():
    cache = lru_cache.LruCache(cache_size=2, dtype=tf.int64)
    ids = tf.placeholder(tf.int64, [None])
    add, places = cache.cache_add(ids), cache.cache_remote_index_to_local(ids)
    everything = cache.cache_all_index_to_local()
    with tf.Session() as session:

        def added(*values):
            return [part.tolist() for part in session.run(add, {ids: values})]

        assert added(7, 8) == [[7, 8], [0, 1], [], []]
        assert added(7) == [[], [], [], []]
        assert added(9) == [[9], [1], [8], [1]]
        assert session.run(places, {ids: [9, 7]}).tolist() == [1, 0]
        assert session.run(everything).tolist() == [7, 9]


def check_file_constant_and_get_shape():
    values = numbers(3, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/values.bin"
        values.tofile(path)
        constant = file_constant.file_constant([3, 4], tf.float32, file_path=path)
        assert constant.shape.as_list() == [3, 4]
        wrong = file_constant.file_constant([5], tf.float32, file_path=path)
        same(evaluate(constant)[0], values)
        try:
            evaluate(wrong)
        except tf.errors.InvalidArgumentError as error:
            assert "12 numbers" in str(error)
        else:
            raise AssertionError("a file of another size was taken")
    shapes = get_shape.getshape([tf.zeros([2, 3]), tf.zeros([4])])
    assert evaluate(shapes)[0].tolist() == [2, 3, 4]


def check_images():
    rows = np.arange(8, dtype=np.uint8)[:, None, None]
    pixels = np.broadcast_to(rows * 30, [8, 8, 3]).astype(np.uint8)
    jpeg = tf.image.encode_jpeg(tf.constant(pixels), quality=100)
    small, part, whole, decoded = evaluate(
        image_ops.decode_and_resize_jpeg(jpeg, [4, 4]),
        image_ops.decode_and_crop_and_resize_jpeg(jpeg, [2, 0, 4, 8], [4, 8]),
        tf.image.decode_jpeg(jpeg, channels=3),
        image.decode_image(tf.image.encode_png(tf.constant(pixels)), channels=3),
    )
    assert small.shape == (4, 4, 3)
    assert small.dtype == part.dtype == np.uint8
    assert (part == whole[2:6]).all()
    same(small[1:3, 0, 0], whole[[2, 4], 0, 0])
    assert (decoded == pixels).all()
