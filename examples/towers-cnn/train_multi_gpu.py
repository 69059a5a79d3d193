"""Synchronous training on several GPUs of one machine, one tower per GPU."""
from __future__ import print_function

import os
import time

import tensorflow as tf

import input
import model

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string('train_dir', 'train', """Event logs and checkpoints.""")
tf.app.flags.DEFINE_integer('max_steps', 60, """Number of batches to run.""")
tf.app.flags.DEFINE_integer('batch_size', 32, """Images per GPU.""")
tf.app.flags.DEFINE_integer('num_gpus', 2, """How many GPUs to use.""")
tf.app.flags.DEFINE_boolean('log_device_placement', False, """Log placement.""")


def tower_loss(scope, images, labels):
	logits = model.inference(images, keep_prob=0.9)
	cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
		labels=labels, logits=logits), name='cross_entropy')
	tf.add_to_collection('losses', cross_entropy)
	# only the losses of this tower
	losses = tf.get_collection('losses', scope)
	return tf.add_n(losses, name='total_loss')


def average_gradients(tower_grads):
	"""[[(g, v), ...] per tower] -> [(mean g, v), ...]. This is the sync point."""
	average = []
	for pairs in zip(*tower_grads):
		grads = [tf.expand_dims(g, 0) for g, _ in pairs]
		grad = tf.reduce_mean(tf.concat(grads, 0), 0)
		average.append((grad, pairs[0][1]))  # variables are shared, the first will do
	return average


def train():
	with tf.Graph().as_default(), tf.device('/cpu:0'):
		tf.set_random_seed(5)
		global_step = tf.get_variable(
			'global_step', [], initializer=tf.constant_initializer(0), trainable=False)
		lr = tf.train.exponential_decay(0.05, global_step, 100, 0.5, staircase=True)
		opt = tf.train.GradientDescentOptimizer(lr)
		iterator = input.make_iterator(FLAGS.batch_size)

		tower_grads = []
		tower_losses = []
		with tf.variable_scope(tf.get_variable_scope()):
			for i in range(FLAGS.num_gpus):
				with tf.device('/gpu:%d' % i):
					with tf.name_scope('tower_%d' % i) as scope:
						images, labels = iterator.get_next()
						loss = tower_loss(scope, images, labels)
						tf.get_variable_scope().reuse_variables()
						summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
						tower_grads.append(opt.compute_gradients(loss))
						tower_losses.append(loss)

		grads = average_gradients(tower_grads)
		mean_loss = tf.add_n(tower_losses) / FLAGS.num_gpus
		summaries.append(tf.summary.scalar('learning_rate', lr))
		summaries.append(tf.summary.scalar('mean_loss', mean_loss))
		apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
		ema = tf.train.ExponentialMovingAverage(0.99, global_step)
		train_op = tf.group(apply_gradient_op, ema.apply(tf.trainable_variables()))

		saver = tf.train.Saver(tf.global_variables())
		summary_op = tf.summary.merge(summaries)
		sess = tf.Session(config=tf.ConfigProto(
			allow_soft_placement=True,
			log_device_placement=FLAGS.log_device_placement))
		sess.run([tf.global_variables_initializer(), iterator.initializer])
		writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)

		for step in range(FLAGS.max_steps):
			start_time = time.time()
			_, loss_value = sess.run([train_op, mean_loss])
			duration = time.time() - start_time
			if step % 10 == 0:
				examples_per_sec = FLAGS.batch_size * FLAGS.num_gpus / duration
				print('step %d, loss = %.4f (%.1f examples/sec)' % (step, loss_value, examples_per_sec))
				writer.add_summary(sess.run(summary_op), step)
			if (step + 1) == FLAGS.max_steps:
				print('final loss = %.4f' % loss_value)
				saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=step)


def main(argv=None):
	if tf.gfile.Exists(FLAGS.train_dir):
		tf.gfile.DeleteRecursively(FLAGS.train_dir)
	tf.gfile.MakeDirs(FLAGS.train_dir)
	train()


if __name__ == '__main__':
	tf.app.run()
