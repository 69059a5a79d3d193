"""Fit a curve on one GPU: a plain session over a tf.data pipeline."""
import os

import numpy as np
import tensorflow as tf

from model import mlp

flags = tf.app.flags
flags.DEFINE_integer('steps', 60, 'Training steps')
flags.DEFINE_integer('batch_size', 64, 'Samples of a step')
flags.DEFINE_float('lr', 0.01, 'Learning rate')
flags.DEFINE_string('out', 'out', 'Checkpoint and summaries')
FLAGS = flags.FLAGS


def curve(samples=2048):
    rng = np.random.RandomState(4)
    x = rng.uniform(-2, 2, (samples, 3)).astype(np.float32)
    return x, np.sin(x[:, 0]) * x[:, 1] + np.float32(0.3) * x[:, 2]


def batches(batch_size):
    dataset = tf.data.Dataset.from_tensor_slices(curve())
    return dataset.repeat().batch(batch_size).make_initializable_iterator()


def main(_):
    tf.set_random_seed(3)
    iterator = batches(FLAGS.batch_size)
    x, y = iterator.get_next()
    loss = tf.reduce_mean(tf.square(mlp(x, [32, 16]) - y), name='loss')
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(FLAGS.lr, 0.9).minimize(loss, global_step=step)
    tf.summary.scalar('loss', loss)
    summaries = tf.summary.merge_all()
    saver = tf.train.Saver()

    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        writer = tf.summary.FileWriter(FLAGS.out)
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        for number in range(1, FLAGS.steps + 1):
            _, value, summary = sess.run([train_op, loss, summaries])
            writer.add_summary(summary, number)
            if number % 20 == 0:
                print('step %d loss %.5f' % (number, value))
        saver.save(sess, os.path.join(FLAGS.out, 'model.ckpt'), global_step=step)


if __name__ == '__main__':
    tf.app.run()
