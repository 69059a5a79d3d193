"""Two-dimensional spirals, every worker reads its own part."""
import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

NUM_CLASSES = 3
NUM_SAMPLES = 1536


def make_spirals(num_samples, seed):
    rng = np.random.RandomState(seed)
    label = rng.randint(0, NUM_CLASSES, num_samples)
    radius = rng.uniform(0.1, 1.0, num_samples)
    angle = radius * 4 + label * 2 * np.pi / NUM_CLASSES + rng.normal(0, 0.1, num_samples)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return points, label   # points is float64, cast in the pipeline


def train_batches(batch_size, seed=0):
    points, label = make_spirals(NUM_SAMPLES, seed)
    dataset = tf.data.Dataset.from_tensor_slices((points, label))
    dataset = dataset.shard(hvd.size(), hvd.rank())
    dataset = dataset.map(lambda p, l: (tf.cast(p, tf.float32), tf.cast(l, tf.int32)))
    dataset = dataset.shuffle(512, seed=seed).repeat().batch(batch_size)
    return dataset.make_one_shot_iterator().get_next()
