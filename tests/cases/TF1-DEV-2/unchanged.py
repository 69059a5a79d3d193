#### right already
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
#### not given
import tensorflow as tf
config = tf.ConfigProto()
#### a flag: the NPU's session config has the last word
import tensorflow as tf
config = tf.ConfigProto(log_device_placement=FLAGS.log)
config.allow_soft_placement = FLAGS.soft
#### a keyword of another function
import tensorflow as tf
run(log_device_placement=True)
#### a field of another object
import tensorflow as tf
FLAGS.log_device_placement = True
#### a config of somebody else
import other as tf
config = tf.ConfigProto(log_device_placement=True)
#### reading
import tensorflow as tf
config = tf.ConfigProto()
print(config.log_device_placement)
#### arguments that cannot be seen
import tensorflow as tf
config = tf.ConfigProto(**{'log_device_placement': True})
