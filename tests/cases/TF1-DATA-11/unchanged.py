#### evaluation, other divisions, and epochs that are whole already
import math
import tensorflow as tf
dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(batch_size)
eval_steps = (eval_size + batch_size - 1) // batch_size
train_steps = n_train // batch_size
train_epochs = math.ceil(train_steps / batch_size)
train_half_steps = (n_train + 1) // 2
train_steps_2 = (n_train + batch_size - 2) // batch_size
sess = tf.Session()
#### a program that feeds its batches
import tensorflow as tf
dataset = tf.data.Dataset.range(8)
train_steps = (n_train + batch_size - 1) // batch_size
sess = tf.Session()
sess.run(step, feed_dict={x: batch})
#### with distributed=tf_strategy
#### a program without datasets
import tensorflow as tf
train_steps = (n_train + batch_size - 1) // batch_size
sess = tf.Session()
#### an endless dataset on one device
import math
import tensorflow as tf
dataset = tf.data.Dataset.from_tensor_slices(train_images).repeat().batch(batch_size)
train_steps = math.ceil(len(train) / batch_size)
sess = tf.Session()
#### Horovod divides by itself
import tensorflow as tf
dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(batch_size)
train_steps = (n_train + batch_size - 1) // batch_size
sess = tf.Session()
#### with distributed=horovod
