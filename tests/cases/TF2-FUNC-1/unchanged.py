#### off
import tensorflow as tf
tf.config.run_functions_eagerly(False)
model = tf.keras.Sequential()
model.compile('adam', 'mse', run_eagerly=False)
model.run_eagerly = False
#### by a flag that nobody knows
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse', run_eagerly=args.eager)
#### tested
import tensorflow as tf
print(tf.executing_eagerly(), tf.config.functions_run_eagerly())
#### datasets in debug mode stay on the host
import tensorflow as tf
tf.data.experimental.enable_debug_mode()
