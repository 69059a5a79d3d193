#### the batch
import tensorflow as tf
@tf.function(input_signature=[tf.TensorSpec([None, 28, 28], tf.float32)])
def step(images):
    return images
#### findings
2 info
#### by the name of the parameter
import tensorflow as tf
@tf.function(input_signature=(tf.TensorSpec(shape=(None, None), dtype=tf.int64),))
def step(ids):
    return ids
#### findings
2 info
#### through a variable
import tensorflow as tf
signature = [tf.TensorSpec([8], tf.float32), tf.TensorSpec(None, tf.float32)]
step = tf.function(train_step, input_signature=signature)
#### findings
3 info
