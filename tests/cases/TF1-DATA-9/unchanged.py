#### padded to the longest sample
import tensorflow as tf
d = tf.data.TFRecordDataset('x')
a = d.padded_batch(4, [None])
b = d.padded_batch(4, padded_shapes=([None, 3], []))
c = d.padded_batch(4, {'x': [-1], 'y': []})
e = d.padded_batch(4, (tf.TensorShape([None]), tf.TensorShape([])))
#### findings
3 manual
4 manual
5 manual
6 manual
#### shapes from a variable and from the dataset
import tensorflow as tf
d = tf.data.TFRecordDataset('x')
shapes = {'x': [None]}
a = d.padded_batch(4, shapes)
b = d.padded_batch(4, d.output_shapes)
c = d.padded_batch(4, tf.data.get_output_shapes(d))
#### findings
4 manual
5 manual
6 manual
#### fixed sizes
import tensorflow as tf
d = tf.data.TFRecordDataset('x')
a = d.padded_batch(4, [128])
b = d.padded_batch(4, ([MAX_LEN, 3], []))
#### shapes nobody sees
import tensorflow as tf


def make(shapes):
    return tf.data.TFRecordDataset('x').padded_batch(4, shapes)
#### buckets and windows
import tensorflow as tf
a = tf.data.experimental.bucket_by_sequence_length(length, [8], [4, 4])
b = tf.contrib.data.group_by_window(key, reduce, 8)
#### findings
2 manual
3 manual
#### a user's own padded_batch
import tensorflow as tf


class Loader:
    def padded_batch(self, n, shapes):
        return n


Loader().padded_batch(4, [None])
