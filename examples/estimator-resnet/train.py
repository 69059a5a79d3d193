"""Trains and evaluates a small ResNet with tf.estimator."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

from absl import flags
import tensorflow as tf

import dataset
from model_fn import learning_rate_with_decay, resnet_model_fn

FLAGS = flags.FLAGS

flags.DEFINE_string('model_dir', 'model', 'Where checkpoints and summaries go.')
flags.DEFINE_integer('num_gpus', 1, 'More than one: MirroredStrategy over that many GPUs.')
flags.DEFINE_integer('batch_size', 32, 'Global batch size.')
flags.DEFINE_integer('train_steps', 60, 'Steps to train.')
flags.DEFINE_integer('num_blocks', 1, 'Residual blocks per stage.')
flags.DEFINE_float('learning_rate', 0.05, 'For a batch of 32.')
flags.DEFINE_bool('xla', False, 'Compile with XLA.')


def get_distribution_strategy(num_gpus):
    if num_gpus > 1:
        return tf.distribute.MirroredStrategy(
            devices=['/gpu:%d' % i for i in range(num_gpus)])
    return None


def main(_):
    session_config = tf.ConfigProto(
        inter_op_parallelism_threads=0,
        allow_soft_placement=True,
        gpu_options=tf.GPUOptions(force_gpu_compatible=True, allow_growth=True))
    if FLAGS.xla:
        session_config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1

    run_config = tf.estimator.RunConfig(
        FLAGS.model_dir, 42, 20,
        save_checkpoints_steps=30,
        session_config=session_config,
        log_step_count_steps=10,
        train_distribute=get_distribution_strategy(FLAGS.num_gpus))

    params = {
        'num_blocks': FLAGS.num_blocks,
        'num_classes': dataset.NUM_CLASSES,
        'weight_decay': 1e-4,
        'learning_rate_fn': learning_rate_with_decay(
            FLAGS.batch_size, dataset.NUM_IMAGES['train'], FLAGS.learning_rate),
    }
    classifier = tf.estimator.Estimator(resnet_model_fn, FLAGS.model_dir, run_config, params)

    # with Estimator the batch of input_fn is what ONE replica sees, not the global one
    per_gpu_batch = FLAGS.batch_size // max(FLAGS.num_gpus, 1)
    logging_hook = tf.train.LoggingTensorHook(['learning_rate'], every_n_iter=10)
    train_spec = tf.estimator.TrainSpec(
        input_fn=lambda: dataset.train_input_fn(per_gpu_batch, None),
        max_steps=FLAGS.train_steps,
        hooks=[logging_hook])
    eval_spec = tf.estimator.EvalSpec(
        input_fn=lambda: dataset.eval_input_fn(per_gpu_batch), steps=None, throttle_secs=0)
    results = tf.estimator.train_and_evaluate(classifier, train_spec, eval_spec)
    if results and results[0]:
        print('eval loss = {loss:.4f}, accuracy = {accuracy:.4f}'.format(**results[0]))


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run(main)
