#### no soft placement
import tensorflow as tf
tf.config.set_soft_device_placement(False)
#### after
import tensorflow as tf
tf.config.set_soft_device_placement(True)
#### findings
2 auto
#### a log of placements
import tensorflow as tf
tf.debugging.set_log_device_placement(True)
#### after
import tensorflow as tf
tf.debugging.set_log_device_placement(False)
#### findings
2 auto
#### by name
import tensorflow as tf
tf.config.set_soft_device_placement(enabled=False)
#### after
import tensorflow as tf
tf.config.set_soft_device_placement(enabled=True)
#### findings
2 auto
