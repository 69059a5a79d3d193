"""Where threads decide the order: sources of data, queues, iterations of loops, Keras' counter."""

import time

try:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf


def number(value, source):
    time.sleep(0.02 if source == 0 else 0)
    return value + 100 * source


def read(source):
    values = tf.data.Dataset.range(6)
    return values.map(lambda value: tf.py_func(number, [value, source], tf.int64))


def interleaved():
    loose = tf.data.experimental.parallel_interleave(read, cycle_length=2, sloppy=True)
    return tf.data.Dataset.range(2).apply(loose)


def optional():
    options = tf.data.Options()
    options.experimental_deterministic = False
    sources = tf.data.Dataset.range(2)
    return sources.interleave(read, cycle_length=2, num_parallel_calls=2).with_options(options)


for made in (interleaved, optional):
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(made())
        element = iterator.get_next()
        session.run(iterator.initializer)
        print("order", *(int(session.run(element)) for _ in range(12)))


with tf.Graph().as_default(), tf.Session() as session:
    tf.set_random_seed(1)
    numbers = tf.train.range_input_producer(8, shuffle=False)
    values = tf.train.shuffle_batch(
        [numbers.dequeue()], 4, capacity=9, min_after_dequeue=4, num_threads=3
    )
    threads = tf.train.Coordinator()
    running = tf.train.start_queue_runners(session, threads)
    print("queue", *session.run(values), *session.run(values), len(running))
    threads.request_stop()


def iterations_at_once(kinds):
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], parallel_iterations=8)
        found = [one for one in graph.get_operations() if one.type in kinds]
    return {one.get_attr("parallel_iterations") for one in found}


print("iterations", *iterations_at_once(("Enter",)))
tf.enable_control_flow_v2()
print("iterations", *iterations_at_once(("While", "StatelessWhile")))
