import numpy as np
import tensorflow as tf

NUM_FEATURES = 20


def regression_data(num_samples=4096, seed=0):
    """y = a quadratic form of x, plus noise."""
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(num_samples, NUM_FEATURES)).astype(np.float32)
    mix = np.random.RandomState(99).normal(size=(NUM_FEATURES, 4)) / NUM_FEATURES ** 0.5
    y = np.square(x.dot(mix)).sum(axis=1) + rng.normal(0, 0.1, num_samples)
    return x, y.astype(np.float32)


def input_batches(batch_size, task_index, num_workers):
    dataset = tf.data.Dataset.from_tensor_slices(regression_data())
    # each worker its own slice, shuffled differently
    dataset = dataset.shard(num_workers, task_index)
    dataset = dataset.shuffle(1024, seed=task_index).repeat().batch(batch_size)
    return dataset.make_one_shot_iterator().get_next()
