"""Train a small convnet on one GPU."""
from __future__ import print_function

import argparse
import os

os.environ['CUDA_VISIBLE_DEVICES'] = '0'

import tensorflow as tf

import dataset
import model

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=100)
parser.add_argument('--batch_size', type=int, default=64)
parser.add_argument('--lr', type=float, default=1e-3)
parser.add_argument('--log_dir', default='logs')
args = parser.parse_args()

tf.set_random_seed(1)
train_set, test_set = dataset.read_data_sets()

x = tf.placeholder(tf.float32, [None, 784], name='x')
y = tf.placeholder(tf.int64, [None], name='y')
keep_prob = tf.placeholder(tf.float32, name='keep_prob')

with tf.device('/gpu:0'):
    logits = model.inference(x, keep_prob)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train_op = tf.train.AdamOptimizer(args.lr).minimize(loss)

tf.summary.scalar('loss', loss)
tf.summary.scalar('accuracy', accuracy)
merged = tf.summary.merge_all()
saver = tf.train.Saver(max_to_keep=3)

# don't grab the whole card, other people use it too
config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.8

with tf.Session(config=config) as sess:
    writer = tf.summary.FileWriter(args.log_dir, sess.graph)
    sess.run(tf.global_variables_initializer())
    for step in range(1, args.steps + 1):
        images, labels = train_set.next_batch(args.batch_size)
        _, loss_val, summary = sess.run(
            [train_op, loss, merged],
            feed_dict={x: images, y: labels, keep_prob: 0.7})
        writer.add_summary(summary, step)
        if step % 10 == 0:
            print('step %d, loss = %.4f' % (step, loss_val))
    test_acc = sess.run(accuracy, feed_dict={
        x: test_set.images, y: test_set.labels, keep_prob: 1.0})
    print('test accuracy: %.4f' % test_acc)
    saver.save(sess, os.path.join(args.log_dir, 'model.ckpt'), global_step=args.steps)
    writer.close()
