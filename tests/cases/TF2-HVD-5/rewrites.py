#### as in Horovod's example
import tensorflow as tf
import horovod.tensorflow as hvd
@tf.function
def step(images, labels, first_batch):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))

    # Horovod: add Horovod Distributed GradientTape.
    tape = hvd.DistributedGradientTape(tape)

    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
@tf.function
def step(images, labels, first_batch):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))

    # Horovod: add Horovod Distributed GradientTape.

    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    opt.apply_gradients(zip(grads, model.trainable_variables))
#### findings
9 auto
#### another name for the tape, and compression
import tensorflow as tf
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    dtape = hvd.DistributedGradientTape(tape, compression=hvd.Compression.fp16)
    grads = dtape.gradient(loss, model.trainable_variables)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    dtape = tape
    grads = npu_device.distribute.all_reduce(dtape.gradient(loss, model.trainable_variables), 'mean')
#### findings
6 auto-check
#### a sum, of sparse gradients
import tensorflow as tf
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    tape = hvd.DistributedGradientTape(tape, sparse_as_dense=True, op=hvd.Sum)
    grads = tape.gradient(loss, model.trainable_variables)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
#### findings
6 auto
#### a tape that is replaced in a branch
import tensorflow as tf
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    if use_horovod:
        tape = hvd.DistributedGradientTape(tape)
    return tape.gradient(loss, model.trainable_variables)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    if use_horovod:
        pass
    return npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
#### findings
7 auto-check
