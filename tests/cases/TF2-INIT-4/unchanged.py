#### a program that prepares data
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
data = tf.data.TFRecordDataset("a")
#### what reads the counts
import tensorflow as tf

threads = tf.config.threading.get_intra_op_parallelism_threads()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### options of a dataset
import tensorflow as tf

options = tf.data.Options()
options.threading.private_threadpool_size = 8
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### a session's counts
import tensorflow as tf

config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### as a value
import tensorflow as tf

done = tf.config.threading.set_intra_op_parallelism_threads(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### findings
3 manual
