#!/usr/bin/env python
# Horovod + MonitoredTrainingSession. One process per GPU.
from __future__ import print_function

import argparse

import horovod.tensorflow as hvd
import tensorflow as tf

from dataset import NUM_CLASSES, train_batches
from model import mlp

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=300, help='steps over all workers')
parser.add_argument('--batch-size', type=int, default=64, help='per worker')
parser.add_argument('--base-lr', type=float, default=0.05)
parser.add_argument('--fp16-allreduce', action='store_true')
parser.add_argument('--no-cuda', action='store_true', help='no GPU on this machine')
args = parser.parse_args()


class RankZeroPrinter(tf.train.SessionRunHook):
    """Average the loss over the workers now and then; rank 0 prints it."""

    def __init__(self, loss, every):
        self._mean_loss = hvd.allreduce(loss, name='mean_loss')
        self._every = every

    def begin(self):
        self._step = 0

    def before_run(self, run_context):
        self._step += 1
        if self._step % self._every == 0:
            return tf.train.SessionRunArgs(self._mean_loss)

    def after_run(self, run_context, run_values):
        if run_values.results is not None and hvd.rank() == 0:
            print('step %d loss %.4f' % (self._step, run_values.results))


def main():
    # Horovod: initialize Horovod.
    hvd.init()
    tf.set_random_seed(1234 + hvd.rank())

    points, labels = train_batches(args.batch_size)
    logits = mlp(points, NUM_CLASSES, is_training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)

    # Horovod: adjust learning rate based on number of GPUs.
    opt = tf.train.MomentumOptimizer(args.base_lr * hvd.size(), 0.9)
    compression = hvd.Compression.fp16 if args.fp16_allreduce else hvd.Compression.none
    opt = hvd.DistributedOptimizer(opt, compression=compression)

    global_step = tf.train.get_or_create_global_step()
    train_op = opt.minimize(loss, global_step=global_step)

    hooks = [
        # Horovod: broadcast initial variable states from rank 0 to all others.
        hvd.BroadcastGlobalVariablesHook(0),
        tf.train.StopAtStepHook(last_step=args.steps // hvd.size()),
        RankZeroPrinter(loss, every=20),
    ]

    # Horovod: pin GPU to be used to process local rank (one GPU per process)
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = '' if args.no_cuda else str(hvd.local_rank())

    # Horovod: save checkpoints only on worker 0, others would corrupt them.
    checkpoint_dir = './checkpoints' if hvd.rank() == 0 else None

    with tf.train.MonitoredTrainingSession(checkpoint_dir=checkpoint_dir,
                                           hooks=hooks,
                                           config=config) as mon_sess:
        while not mon_sess.should_stop():
            mon_sess.run(train_op)


if __name__ == "__main__":
    main()
