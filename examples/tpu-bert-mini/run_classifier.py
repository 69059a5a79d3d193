# coding=utf-8
"""Trains, evaluates and predicts with a tiny BERT-like classifier."""
from __future__ import absolute_import, division, print_function

import os

import tensorflow as tf

import data
import modeling
import optimization

flags = tf.flags
FLAGS = flags.FLAGS

flags.DEFINE_string("output_dir", "output", "Checkpoints, records and predictions.")
flags.DEFINE_bool("do_train", True, "Train.")
flags.DEFINE_bool("do_eval", True, "Evaluate.")
flags.DEFINE_bool("do_predict", True, "Predict.")
flags.DEFINE_integer("max_seq_length", 24, "Tokens per example.")
flags.DEFINE_integer("train_batch_size", 32, "Examples per step.")
flags.DEFINE_integer("eval_batch_size", 16, "For evaluation and prediction.")
flags.DEFINE_float("learning_rate", 2e-3, "Peak, after the warm-up.")
flags.DEFINE_integer("num_train_steps", 150, "Steps to train.")
flags.DEFINE_integer("iterations_per_loop", 50, "Steps per call of the estimator.")
flags.DEFINE_bool("use_tpu", False, "TPU, or GPU/CPU.")
flags.DEFINE_string("tpu_name", None, "Cloud TPU to use, only with --use_tpu.")


def model_fn_builder(config, learning_rate, num_train_steps, use_tpu):

    def model_fn(features, labels, mode, params):
        is_training = mode == tf.estimator.ModeKeys.TRAIN
        pooled = modeling.bert_encode(
            config, is_training, features["input_ids"], features["input_mask"], features["segment_ids"])
        logits = modeling.dense(modeling.dropout(pooled, 0.1 if is_training else 0.0), 2, config)
        probabilities = tf.nn.softmax(logits, axis=-1)
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"probabilities": probabilities})

        one_hot = tf.one_hot(features["label_ids"], depth=2, dtype=tf.float32)
        per_example_loss = -tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), axis=-1)
        loss = tf.reduce_mean(per_example_loss)
        if is_training:
            tf.identity(loss, name="train_loss")
            train_op = optimization.create_optimizer(
                loss, learning_rate, num_train_steps, num_train_steps // 10, use_tpu)
            return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)

        def metric_fn(per_example_loss, label_ids, logits):
            predicted = tf.argmax(logits, axis=-1, output_type=tf.int32)
            return {"eval_accuracy": tf.metrics.accuracy(label_ids, predicted),
                    "eval_loss": tf.metrics.mean(per_example_loss)}

        return tf.contrib.tpu.TPUEstimatorSpec(
            mode=mode, loss=loss,
            eval_metrics=(metric_fn, [per_example_loss, features["label_ids"], logits]))

    return model_fn


def records(name, count, seed):
    path = os.path.join(FLAGS.output_dir, name + ".tf_record")
    data.write_tfrecord(data.make_examples(count, FLAGS.max_seq_length, seed), path)
    return path


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.gfile.MakeDirs(FLAGS.output_dir)

    resolver = None
    if FLAGS.use_tpu and FLAGS.tpu_name:
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver(FLAGS.tpu_name)
    run_config = tf.contrib.tpu.RunConfig(
        cluster=resolver,
        model_dir=FLAGS.output_dir,
        tf_random_seed=12,
        save_checkpoints_steps=100,
        tpu_config=tf.contrib.tpu.TPUConfig(iterations_per_loop=FLAGS.iterations_per_loop))
    # Falls back to a normal Estimator on CPU or GPU.
    estimator = tf.contrib.tpu.TPUEstimator(
        use_tpu=FLAGS.use_tpu,
        model_fn=model_fn_builder(
            modeling.TINY, FLAGS.learning_rate, FLAGS.num_train_steps, FLAGS.use_tpu),
        config=run_config,
        train_batch_size=FLAGS.train_batch_size,
        eval_batch_size=FLAGS.eval_batch_size,
        predict_batch_size=FLAGS.eval_batch_size)

    if FLAGS.do_train:
        train_input_fn = data.file_based_input_fn_builder(
            records("train", 1000, 1), FLAGS.max_seq_length, True, drop_remainder=True)
        estimator.train(
            input_fn=train_input_fn, max_steps=FLAGS.num_train_steps,
            hooks=[tf.train.LoggingTensorHook(["train_loss"], every_n_iter=25)])

    if FLAGS.do_eval:
        eval_drop_remainder = True if FLAGS.use_tpu else False
        eval_input_fn = data.file_based_input_fn_builder(
            records("eval", 200, 2), FLAGS.max_seq_length, False, eval_drop_remainder)
        result = estimator.evaluate(input_fn=eval_input_fn)
        print("eval loss = %(eval_loss).4f, accuracy = %(eval_accuracy).4f" % result)

    if FLAGS.do_predict:
        num_actual_predict_examples = 50
        predict_input_fn = data.file_based_input_fn_builder(
            records("predict", num_actual_predict_examples, 3), FLAGS.max_seq_length, False,
            drop_remainder=FLAGS.use_tpu)
        num_written_lines = 0
        with tf.gfile.GFile(os.path.join(FLAGS.output_dir, "test_results.tsv"), "w") as writer:
            for prediction in estimator.predict(input_fn=predict_input_fn):
                writer.write("\t".join(str(p) for p in prediction["probabilities"]) + "\n")
                num_written_lines += 1
        assert num_written_lines == num_actual_predict_examples


if __name__ == "__main__":
    tf.app.run()
