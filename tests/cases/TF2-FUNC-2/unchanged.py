#### by name
import tensorflow as tf
step = tf.function(train_step, input_signature=signature)
#### the function only
import tensorflow as tf
step = tf.function(train_step)
#### a decorator
import tensorflow as tf
@tf.function(input_signature=signature)
def step(x):
    return x
#### arguments in a list
import tensorflow as tf
step = tf.function(*arguments)
#### another function
import numpy as np
step = np.vectorize(train_step, signature)
