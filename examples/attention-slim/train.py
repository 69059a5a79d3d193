"""Trains the attention model with slim.learning.train."""
import tensorflow as tf

import make_dataset
import model
import plates

slim = tf.contrib.slim

tf.app.flags.DEFINE_string('dataset_dir', 'data', 'Where the TFRecords are (written if missing).')
tf.app.flags.DEFINE_string('train_log_dir', 'logs', 'Checkpoints and event logs.')
tf.app.flags.DEFINE_integer('batch_size', 32, 'Batch size.')
tf.app.flags.DEFINE_integer('max_number_of_steps', 200, 'Stop here.')
tf.app.flags.DEFINE_integer('ps_tasks', 0, '0: variables are on the worker itself.')
tf.app.flags.DEFINE_bool('use_loss_scale', False, 'Dynamic loss scale, for mixed precision.')
FLAGS = tf.app.flags.FLAGS


def create_optimizer():
    optimizer = tf.train.MomentumOptimizer(0.02, momentum=0.9)
    if FLAGS.use_loss_scale:
        manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(
            init_loss_scale=2 ** 10, incr_every_n_steps=100, decr_every_n_nan_or_inf=2, decr_ratio=0.5)
        optimizer = tf.contrib.mixed_precision.LossScaleOptimizer(optimizer, manager)
    return optimizer


def main(_):
    if not tf.gfile.Exists(FLAGS.dataset_dir):
        make_dataset.write_all(FLAGS.dataset_dir)
    tf.logging.set_verbosity(tf.logging.INFO)

    with tf.Graph().as_default():
        tf.set_random_seed(21)
        with tf.device(tf.train.replica_device_setter(FLAGS.ps_tasks, merge_devices=True)):
            # reading is faster on the CPU
            with tf.device('/cpu:0'):
                dataset = plates.get_split('train', FLAGS.dataset_dir)
                images, labels = plates.get_batches(dataset, FLAGS.batch_size)
            logits, end_points = model.attention_model(
                images, plates.NUM_CHARS, dataset.num_classes)
            tf.losses.sparse_softmax_cross_entropy(labels, logits)
            total_loss = tf.losses.get_total_loss()
            correct = tf.equal(tf.argmax(logits, axis=2), labels)
            tf.summary.scalar('char_accuracy', tf.reduce_mean(tf.to_float(correct)))
            tf.summary.image('attention', tf.expand_dims(end_points['attention'][:, 0], -1))
            tf.summary.scalar('loss', total_loss)
            train_op = slim.learning.create_train_op(
                total_loss, create_optimizer(), clip_gradient_norm=2.0, summarize_gradients=True)

        session_config = tf.ConfigProto(allow_soft_placement=True)
        session_config.gpu_options.allow_growth = True
        final_loss = slim.learning.train(
            train_op,
            FLAGS.train_log_dir,
            log_every_n_steps=20,
            number_of_steps=FLAGS.max_number_of_steps,
            save_summaries_secs=30,
            save_interval_secs=60,
            session_config=session_config)
        print('final loss: %.4f' % final_loss)


if __name__ == '__main__':
    tf.app.run()
