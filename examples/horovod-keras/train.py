"""Classify wave forms with tf.keras and Horovod."""
import argparse
import math

import horovod.tensorflow.keras as hvd
import tensorflow as tf

from dataset import load_signals
from model import build_model

BATCH_SIZE = 32
TRAIN_SAMPLES = 2048

parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=float, default=6, help='over all workers')
parser.add_argument('--no-cuda', action='store_true', default=False)
args = parser.parse_args()

# Horovod: initialize Horovod.
hvd.init()

# Horovod: pin GPU to be used to process local rank (one GPU per process)
config = tf.ConfigProto()
if not args.no_cuda:
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = str(hvd.local_rank())
tf.keras.backend.set_session(tf.Session(config=config))
tf.set_random_seed(11)

# Horovod: adjust number of epochs based on number of GPUs.
epochs = int(math.ceil(args.epochs / hvd.size()))

x_train, y_train = load_signals(TRAIN_SAMPLES, seed=hvd.rank())
x_test, y_test = load_signals(300, seed=1000)

dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train))
dataset = dataset.shuffle(1000).repeat().batch(BATCH_SIZE)

model = build_model()

# Horovod: adjust learning rate based on number of GPUs.
scaled_lr = 0.003 * hvd.size()
opt = tf.keras.optimizers.Adam(scaled_lr)

# Horovod: add Horovod Distributed Optimizer.
opt = hvd.DistributedOptimizer(opt)

model.compile(loss='sparse_categorical_crossentropy', optimizer=opt, metrics=['accuracy'])

callbacks = [
    # Horovod: broadcast initial variable states from rank 0 to all other processes.
    hvd.callbacks.BroadcastGlobalVariablesCallback(0),
    # Horovod: average metrics among workers at the end of every epoch.
    # Must be in the list before ReduceLROnPlateau or other metrics-based callbacks.
    hvd.callbacks.MetricAverageCallback(),
    # Horovod: lr warm-up, see "Accurate, Large Minibatch SGD"
    hvd.callbacks.LearningRateWarmupCallback(initial_lr=scaled_lr, warmup_epochs=2, verbose=1),
    tf.keras.callbacks.ReduceLROnPlateau(monitor='loss', patience=3, verbose=1),
]

# Horovod: save checkpoints only on worker 0 to prevent other workers from corrupting them.
if hvd.rank() == 0:
    callbacks.append(tf.keras.callbacks.ModelCheckpoint(
        './checkpoint-{epoch}.h5', save_weights_only=True))

# Horovod: write logs on worker 0.
verbose = 2 if hvd.rank() == 0 else 0

model.fit(dataset,
          steps_per_epoch=TRAIN_SAMPLES // BATCH_SIZE // hvd.size(),
          epochs=epochs,
          callbacks=callbacks,
          verbose=verbose)

score = model.evaluate(x_test, y_test, batch_size=BATCH_SIZE, verbose=0)
if hvd.rank() == 0:
    print('Test loss: %.4f' % score[0])
    print('Test accuracy: %.4f' % score[1])
