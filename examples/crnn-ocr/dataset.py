import tensorflow as tf

import config as cfg


def _extract_features(example_proto):
    features = tf.parse_single_example(example_proto, features={
        'images': tf.FixedLenFeature((), tf.string),
        'imagenames': tf.FixedLenFeature((), tf.string),
        'labels': tf.VarLenFeature(tf.int64),
    })
    images = tf.decode_raw(features['images'], tf.uint8)
    images = tf.reshape(images, [cfg.IMG_HEIGHT, cfg.IMG_WIDTH, 1])
    images = tf.cast(images, tf.float32) / 127.5 - 1.0
    # labels stay sparse, that is what ctc_loss wants
    return images, tf.cast(features['labels'], tf.int32), features['imagenames']


class CrnnDataset(object):
    def __init__(self, tfrecords_path, flags):
        self._path = tfrecords_path
        self._flags = flags.lower()
        if self._flags not in ['train', 'val']:
            raise ValueError('flags of the data feeder should be train or val')

    def inputs(self, batch_size):
        dataset = tf.data.TFRecordDataset(self._path)
        dataset = dataset.map(_extract_features, num_parallel_calls=2)
        if self._flags == 'train':
            dataset = dataset.shuffle(buffer_size=500, seed=3).repeat()
        dataset = dataset.batch(batch_size)
        iterator = dataset.make_initializable_iterator()
        return iterator, iterator.get_next()
