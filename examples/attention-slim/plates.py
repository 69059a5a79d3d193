"""The dataset in slim's clothes, and the queues that feed the network."""
import os

import tensorflow as tf

slim = tf.contrib.slim

NUM_CHARS = 3
NUM_CLASSES = 10
SPLIT_SIZES = {'train': 1500}


def get_split(split_name, dataset_dir):
    keys_to_features = {
        'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
        'image/format': tf.FixedLenFeature((), tf.string, default_value='raw'),
        'image/class': tf.FixedLenFeature([NUM_CHARS], tf.int64),
    }
    items_to_handlers = {
        'image': slim.tfexample_decoder.Image(shape=[16, 48, 1], channels=1),
        'label': slim.tfexample_decoder.Tensor('image/class'),
    }
    return slim.dataset.Dataset(
        data_sources=os.path.join(dataset_dir, split_name + '-*'),
        reader=tf.TFRecordReader,
        decoder=slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers),
        num_samples=SPLIT_SIZES[split_name],
        num_classes=NUM_CLASSES,
        items_to_descriptions={'image': 'A plate.', 'label': 'Its digits.'})


def get_batches(dataset, batch_size):
    provider = slim.dataset_data_provider.DatasetDataProvider(
        dataset, num_readers=2, common_queue_capacity=400, common_queue_min=200)
    image, label = provider.get(['image', 'label'])
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = (image - 0.5) * 2.0
    return tf.train.shuffle_batch(
        [image, label], batch_size=batch_size, num_threads=2,
        capacity=400, min_after_dequeue=200)
