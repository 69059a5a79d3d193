"""Input functions: 32x32 colour patches, the class is the colour and the direction of the stripes."""
import numpy as np
import tensorflow as tf

NUM_CLASSES = 6
NUM_IMAGES = {'train': 512, 'eval': 150}


def _make_images(split):
    rng = np.random.RandomState({'train': 10, 'eval': 11}[split])
    labels = rng.randint(0, NUM_CLASSES, NUM_IMAGES[split]).astype(np.int32)
    wave = (np.sin(np.arange(32) * 0.8) > 0) * 120
    images = rng.randint(0, 100, (len(labels), 32, 32, 3))
    for image, label in zip(images, labels):
        stripes = np.roll(wave, rng.randint(8))
        image[:, :, label % 3] += stripes[:, None] if label < 3 else stripes[None, :]
    return images.astype(np.uint8), labels


def preprocess(image, label, is_training):
    image = tf.cast(image, tf.float32)
    if is_training:
        image = tf.image.resize_image_with_crop_or_pad(image, 36, 36)
        image = tf.random_crop(image, [32, 32, 3])
        image = tf.image.random_flip_left_right(image)
    return tf.image.per_image_standardization(image), label


def train_input_fn(batch_size, num_epochs):
    dataset = tf.data.Dataset.from_tensor_slices(_make_images('train'))
    dataset = dataset.shuffle(NUM_IMAGES['train']).repeat(num_epochs)
    # Fused map and batch: noticeably faster than map().batch() on the 8 GPU box.
    dataset = dataset.apply(tf.data.experimental.map_and_batch(
        lambda image, label: preprocess(image, label, True),
        batch_size,
        num_parallel_calls=1))  # the random crops repeat only with 1
    return dataset.prefetch(tf.data.experimental.AUTOTUNE)


def eval_input_fn(batch_size):
    dataset = tf.data.Dataset.from_tensor_slices(_make_images('eval'))
    dataset = dataset.map(lambda image, label: preprocess(image, label, False))
    return dataset.batch(batch_size).prefetch(1)
