#### gradients of several steps are added up
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    for total, grad in zip(totals, grads):
        total.assign_add(grad)
#### with distributed=tf_strategy
#### findings
5 manual
#### handed to something out of sight
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    return train_op(tape.gradient(loss, model.trainable_variables))
#### with distributed=tf_strategy
#### findings
5 possible
#### on one device
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### reduced already
import tensorflow as tf
import npu_device as npu
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    grads = npu.distribute.all_reduce(grads, 'mean')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### the optimizer reduces them
import tensorflow as tf
import npu_device as npu
optimizer = npu.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.SGD(0.1))
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### a step of a Keras model: what compile() is given reduces them
import tensorflow as tf
class Net(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(y, self(x, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
#### with distributed=tf_strategy
#### a penalty on gradients is part of the loss
import tensorflow as tf
import npu_device
def step(real, fake):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(fake)
            score = critic(fake)
        slopes = inner.gradient(score, [fake])[0]
        loss = tf.reduce_mean(score) + tf.reduce_mean(slopes ** 2)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, critic.trainable_variables), 'mean')
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))
#### with distributed=tf_strategy
#### gradients of an image
import tensorflow as tf
def saliency(image):
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = model(image)
    return tape.gradient(score, image)
#### with distributed=tf_strategy
#### Horovod's tape has a rule of its own
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=horovod
#### numpy's gradient
import numpy as np
import tensorflow as tf
slopes = np.gradient(values)
#### with distributed=tf_strategy
