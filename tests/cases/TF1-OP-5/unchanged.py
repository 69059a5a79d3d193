#### said once a file
import tensorflow as tf
x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
x = tf.layers.max_pooling2d(x, 3, 2)
#### findings
2 info
#### a layer
import tensorflow as tf
x = tf.layers.max_pooling2d(inputs=x, pool_size=3, strides=2, padding='same')
#### findings
2 info
#### channels first
import tensorflow as tf
x = tf.nn.max_pool(x, ksize, strides, 'SAME', data_format='NCHW')
#### already with indices
import tensorflow as tf
x = tf.nn.max_pool_with_argmax(x, ksize, strides, 'SAME')[0]
#### other pooling
import tensorflow as tf
x = tf.nn.avg_pool(x, ksize, strides, 'SAME')
#### somebody else's pooling
import mylib as tf
x = tf.nn.max_pool(x)
