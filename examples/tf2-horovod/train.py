"""Horovod with eager TensorFlow 2: one process a GPU."""
import argparse
import os

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=40, help='over all workers')
parser.add_argument('--batch-size', type=int, default=16, help='of one worker')
parser.add_argument('--checkpoint-dir', default='checkpoints')
args = parser.parse_args()

# Horovod: initialize Horovod.
hvd.init()

# Horovod: pin GPU to be used to process local rank (one GPU per process)
gpus = tf.config.experimental.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
if gpus:
    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')

tf.random.set_seed(3)
rng = np.random.RandomState(7)
digits = rng.normal(0, 1, (10, 8, 8, 1))
labels = rng.randint(0, 10, 640)
images = (digits[labels] + rng.normal(0, 0.5, (640, 8, 8, 1))).astype('float32')

dataset = tf.data.Dataset.from_tensor_slices((images, labels.astype('int64')))
dataset = dataset.shard(hvd.size(), hvd.rank())
dataset = dataset.repeat().batch(args.batch_size)

mnist_model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, [3, 3], activation='relu'),
    tf.keras.layers.MaxPooling2D(pool_size=(2, 2)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(32, activation='relu'),
    tf.keras.layers.Dense(10),
])
loss_fn = tf.losses.SparseCategoricalCrossentropy(from_logits=True)

# Horovod: adjust learning rate based on number of GPUs.
opt = tf.optimizers.SGD(0.05 * hvd.size())

checkpoint = tf.train.Checkpoint(model=mnist_model, optimizer=opt)


@tf.function
def training_step(images, labels, first_batch):
    with tf.GradientTape() as tape:
        logits = mnist_model(images, training=True)
        loss_value = loss_fn(labels, logits)

    # Horovod: add Horovod Distributed GradientTape.
    tape = hvd.DistributedGradientTape(tape)

    grads = tape.gradient(loss_value, mnist_model.trainable_variables)
    opt.apply_gradients(zip(grads, mnist_model.trainable_variables))

    # Horovod: broadcast initial variable states from rank 0 to all other processes, after the
    # first gradient step to ensure optimizer initialization.
    if first_batch:
        hvd.broadcast_variables(mnist_model.variables, root_rank=0)
        hvd.broadcast_variables(opt.variables(), root_rank=0)

    return loss_value


# Horovod: adjust number of steps based on number of GPUs.
for batch, (images, labels) in enumerate(dataset.take(args.steps // hvd.size())):
    loss_value = training_step(images, labels, batch == 0)

    if batch % 5 == 0 and hvd.local_rank() == 0:
        print('Step #%d\tLoss: %.6f' % (batch, loss_value))

# Horovod: save checkpoints only on worker 0 to prevent other workers from corrupting it.
if hvd.rank() == 0:
    checkpoint.save(os.path.join(args.checkpoint_dir, 'ckpt'))
