#### all functions
import tensorflow as tf
tf.config.run_functions_eagerly(True)
#### findings
2 manual
#### the older name
import tensorflow as tf
tf.config.experimental_run_functions_eagerly(True)
#### findings
2 manual
#### by a flag
import tensorflow as tf
tf.config.run_functions_eagerly(args.debug)
#### findings
2 manual
#### Keras
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse', run_eagerly=True)
#### findings
3 manual
#### Keras by an attribute
import tensorflow as tf
model = tf.keras.Sequential()
model.run_eagerly = True
#### findings
3 manual
