#### static
import tensorflow as tf
@tf.function(input_signature=[tf.TensorSpec([8, 28, 28], tf.float32)])
def step(images):
    return images
#### a scalar
import tensorflow as tf
@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def step(x):
    return x
#### none
import tensorflow as tf
@tf.function
def step(x):
    return x
#### for a dataset
import tensorflow as tf
dataset = tf.data.Dataset.from_generator(f, output_signature=tf.TensorSpec([None], tf.float32))
#### made elsewhere
import tensorflow as tf
step = tf.function(train_step, input_signature=make())
