#### applied in the same function
import tensorflow as tf
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = tape.gradient(loss, model.trainable_variables)  # of this device
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')  # of this device
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
6 auto
#### reduced before they are clipped
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
5 auto
#### a loss that is divided by the batch of all devices: a sum
import tensorflow as tf
def compute_loss(labels, predictions):
    per_example = loss_object(labels, predictions)
    return tf.nn.compute_average_loss(per_example, global_batch_size=GLOBAL_BATCH_SIZE)
def step(x, y):
    with tf.GradientTape() as tape:
        loss = compute_loss(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def compute_loss(labels, predictions):
    per_example = loss_object(labels, predictions)
    return tf.nn.compute_average_loss(per_example, global_batch_size=GLOBAL_BATCH_SIZE)
def step(x, y):
    with tf.GradientTape() as tape:
        loss = compute_loss(y, model(x))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
8 auto
#### compute_average_loss with the batch of one device: a mean
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
5 auto
#### divided by hand
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(cross_entropy(y, model(x))) * (1. / global_batch_size)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(cross_entropy(y, model(x))) * (1. / global_batch_size)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
5 auto
#### divided by the number of replicas, which is 1: a mean
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(cross_entropy(y, model(x)))
        loss = loss / strategy.num_replicas_in_sync
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(cross_entropy(y, model(x)))
        loss = loss / strategy.num_replicas_in_sync
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
6 auto
#### a sum over samples
import tensorflow as tf
loss_object = tf.keras.losses.BinaryCrossentropy(reduction=tf.keras.losses.Reduction.SUM)
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_object(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
loss_object = tf.keras.losses.BinaryCrossentropy(reduction=tf.keras.losses.Reduction.SUM)
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_object(y, model(x))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
6 auto-check
#### losses of weights beside a loss that is divided by the batch of all devices
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=64)
        loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=64)
        loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
6 auto-check
#### two models, two tapes
import tensorflow as tf
def step(images):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        gen_loss, disc_loss = losses(images)
    gen_grads = gen_tape.gradient(gen_loss, generator.trainable_variables)
    disc_grads = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    gen_opt.apply_gradients(zip(gen_grads, generator.trainable_variables))
    disc_opt.apply_gradients(zip(disc_grads, discriminator.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(images):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        gen_loss, disc_loss = losses(images)
    gen_grads = npu_device.distribute.all_reduce(gen_tape.gradient(gen_loss, generator.trainable_variables), 'mean')
    disc_grads = npu_device.distribute.all_reduce(disc_tape.gradient(disc_loss, discriminator.trainable_variables), 'mean')
    gen_opt.apply_gradients(zip(gen_grads, generator.trainable_variables))
    disc_opt.apply_gradients(zip(disc_grads, discriminator.trainable_variables))
#### findings
5 auto
6 auto
#### returned, and applied by the caller
import tensorflow as tf
def grad(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    return loss, tape.gradient(loss, model.trainable_variables)
for x, y in dataset:
    loss, grads = grad(model, x, y)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def grad(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    return loss, npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
for x, y in dataset:
    loss, grads = grad(model, x, y)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
5 auto
#### loss scale: reduced when they are unscaled
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
        scaled = optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = optimizer.get_unscaled_gradients(grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
        scaled = optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = npu_device.distribute.all_reduce(optimizer.get_unscaled_gradients(grads), 'mean')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
7 auto
#### a branch unscales them: the scaled ones are reduced
import tensorflow as tf
def step(x, y, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    if isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer):
        grads = optimizer.get_unscaled_gradients(grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(x, y, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loss_fn(y, model(x)))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    if isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer):
        grads = optimizer.get_unscaled_gradients(grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### findings
5 auto
