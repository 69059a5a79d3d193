#### as it should be
import tensorflow as tf
tf.config.set_soft_device_placement(True)
tf.debugging.set_log_device_placement(False)
#### by a flag
import tensorflow as tf
tf.debugging.set_log_device_placement(args.verbose)
#### tested
import tensorflow as tf
print(tf.config.get_soft_device_placement())
