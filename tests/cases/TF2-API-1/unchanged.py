#### supported
import tensorflow as tf
y = tf.matmul(a, b)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### layers of the program's own
import tensorflow as tf
class Block(tf.keras.layers.Layer):
    pass
#### a usual loss
import tensorflow as tf
loss = tf.keras.losses.CategoricalCrossentropy()
#### other rules say more
import tensorflow as tf
tf.config.run_functions_eagerly(True)
estimator = tf.estimator.Estimator(model_fn)
#### not yet judged by the vendor
import tensorflow as tf
tf.config.functions_run_eagerly()
#### another package
import torch
y = torch.einsum('ab,bc->ac', a, b)
