#### both arguments
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=False, log_device_placement=True)
#### after
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
#### findings
2 auto
2 auto
#### fields that are set
import tensorflow as tf
config = tf.ConfigProto()
config.log_device_placement = True  # where is everything
config.allow_soft_placement = False
#### after
import tensorflow as tf
config = tf.ConfigProto()
config.log_device_placement = False  # where is everything
config.allow_soft_placement = True
#### functions that set them
import tensorflow as tf
tf.config.set_soft_device_placement(False)
tf.debugging.set_log_device_placement(enabled=True)
#### after
import tensorflow as tf
tf.config.set_soft_device_placement(True)
tf.debugging.set_log_device_placement(enabled=False)
