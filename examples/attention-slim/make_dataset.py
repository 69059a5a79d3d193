"""Writes TFRecords with number plates of three digits."""
import os
import sys

import numpy as np
import tensorflow as tf

# rows of a 3x5 dot matrix, in octal
DIGITS = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71222", "75757", "75717"]


def plate(numbers, rng):
    image = rng.randint(0, 60, (16, 48))
    for i, number in enumerate(numbers):
        dots = [[int(b) for b in format(int(row), "03b")] for row in DIGITS[number]]
        y, x = rng.randint(0, 6), 16 * i + rng.randint(2, 8)
        image[y:y + 10, x:x + 6] += 180 * np.kron(dots, np.ones((2, 2), int))
    return image.astype(np.uint8)


def write(path, count, seed):
    rng = np.random.RandomState(seed)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(count):
            numbers = rng.randint(0, 10, 3)
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(
                    value=[plate(numbers, rng).tobytes()])),
                "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"raw"])),
                "image/class": tf.train.Feature(int64_list=tf.train.Int64List(value=numbers)),
            })).SerializeToString())


def write_all(out_dir):
    tf.gfile.MakeDirs(out_dir)
    write(os.path.join(out_dir, "train-00000-of-00002"), 750, seed=4)
    write(os.path.join(out_dir, "train-00001-of-00002"), 750, seed=5)


if __name__ == "__main__":
    write_all(sys.argv[1] if len(sys.argv) > 1 else "data")
