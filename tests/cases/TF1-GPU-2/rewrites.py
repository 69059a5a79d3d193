#### the only entry goes with the argument
import tensorflow as tf
config = tf.ConfigProto(device_count={'GPU': 1}, allow_soft_placement=True)
#### after
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
#### findings
2 auto
#### the number of CPUs stays
import tensorflow as tf
config = tf.ConfigProto(device_count={'CPU': 4, 'GPU': FLAGS.num_gpus})
#### after
import tensorflow as tf
config = tf.ConfigProto(device_count={'CPU': 4})
#### the first of two entries
import tensorflow as tf
config = tf.ConfigProto(device_count={"GPU": 1, "CPU": 4})
#### after
import tensorflow as tf
config = tf.ConfigProto(device_count={"CPU": 4})
#### a session kept off the GPU is reported
import tensorflow as tf
config = tf.ConfigProto(device_count={'GPU': 0})
#### after
import tensorflow as tf
config = tf.ConfigProto()
#### findings
2 auto-check
#### an item that is set
import tensorflow as tf
config = tf.ConfigProto()
config.device_count['GPU'] = 1
config.device_count['CPU'] = 2
#### after
import tensorflow as tf
config = tf.ConfigProto()
config.device_count['CPU'] = 2
