#### a constant by hand
import tensorflow as tf


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
        scaled = loss * LOSS_SCALE
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = [g / LOSS_SCALE for g in grads]
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
8 info
#### an attribute
import tensorflow as tf

with tf.GradientTape() as tape:
    loss = params.loss_scale * compute()
grads = [g / params.loss_scale for g in tape.gradient(loss, variables)]
#### findings
4 info
