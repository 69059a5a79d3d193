#### several threads become one, by keyword and by position
import tensorflow as tf
a = tf.train.batch([x], 32, num_threads=4)
b = tf.train.batch([x], 32, THREADS, 100)  # capacity
#### after
import tensorflow as tf
a = tf.train.batch([x], 32, num_threads=1)
b = tf.train.batch([x], 32, 1, 100)  # capacity
#### findings
2 auto-check
3 auto-check
#### an expression over several lines
import tensorflow as tf
a = tf.train.batch(
    [x], batch_size=32,
    num_threads=min(  # not all
        4, cores),
    allow_smaller_final_batch=True)
#### after
import tensorflow as tf
# not all
a = tf.train.batch(
    [x], batch_size=32,
    num_threads=1,
    allow_smaller_final_batch=True)
#### findings
2 auto-check
