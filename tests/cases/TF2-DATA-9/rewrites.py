#### prefetch
import tensorflow as tf
dataset = dataset.apply(tf.data.experimental.prefetch_to_device('/gpu:0'))
#### after
import tensorflow as tf
dataset = dataset.prefetch(tf.data.experimental.AUTOTUNE)
#### findings
2 auto
#### prefetch so many
import tensorflow as tf
dataset = dataset.apply(tf.data.experimental.prefetch_to_device('/gpu:0', 2))
#### after
import tensorflow as tf
dataset = dataset.prefetch(2)
#### findings
2 auto
#### copy
import tensorflow as tf
dataset = dataset.apply(tf.data.experimental.copy_to_device('/gpu:0')).map(parse)
#### after
import tensorflow as tf
dataset = dataset.map(parse)
#### findings
2 auto
#### a chain over lines
import tensorflow as tf
dataset = (
    dataset.batch(8)
    .apply(tf.data.experimental.copy_to_device('/gpu:0'))
    .map(parse)
)
#### after
import tensorflow as tf
dataset = (
    dataset.batch(8)
    .map(parse)
)
#### findings
4 auto
#### kept in a variable
import tensorflow as tf
move = tf.data.experimental.prefetch_to_device('/gpu:0')
dataset = dataset.apply(move)
#### findings
2 manual
