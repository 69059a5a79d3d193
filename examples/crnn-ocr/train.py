#!/usr/bin/env python3
import argparse
import os.path as ops
import time

import tensorflow as tf

import config as cfg
from crnn_model import ShadowNet
from dataset import CrnnDataset


def init_args():
    parser = argparse.ArgumentParser()
    parser.add_argument('-d', '--dataset_dir', type=str, default='data')
    parser.add_argument('-s', '--save_dir', type=str, default='model')
    parser.add_argument('-w', '--weights_path', type=str, help='Checkpoint to go on from')
    parser.add_argument('--steps', type=int, default=150)
    parser.add_argument('--batch_size', type=int, default=32)
    parser.add_argument('--gpu_memory', type=float, default=0.9)
    return parser.parse_args()


def decode(logits, labels):
    """Beam search; returns the mean edit distance to the labels, relative to their length."""
    seq_len = cfg.SEQ_LENGTH * tf.ones([tf.shape(logits)[1]], tf.int32)
    decoded, _ = tf.nn.ctc_beam_search_decoder(logits, seq_len, beam_width=10, merge_repeated=False)
    return tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), labels))


def train_shadownet(args):
    tf.set_random_seed(17)
    train_iter, (train_images, train_labels, _) = CrnnDataset(
        ops.join(args.dataset_dir, 'train.tfrecords'), flags='train').inputs(args.batch_size)
    val_iter, (val_images, val_labels, val_names) = CrnnDataset(
        ops.join(args.dataset_dir, 'val.tfrecords'), flags='val').inputs(args.batch_size)

    with tf.device('/gpu:0'):
        train_net = ShadowNet(phase='train')
        val_net = ShadowNet(phase='val')
        _, train_loss = train_net.compute_loss(
            train_images, train_labels, name='shadow_net', reuse=False)
        val_logits, val_loss = val_net.compute_loss(
            val_images, val_labels, name='shadow_net', reuse=True)
    val_distance = decode(val_logits, val_labels)

    global_step = tf.train.create_global_step()
    learning_rate = tf.train.exponential_decay(2e-3, global_step, 500, 0.5, staircase=True)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        optimizer = tf.train.AdamOptimizer(learning_rate)
        grads_and_vars = optimizer.compute_gradients(train_loss)
        clipped = [(tf.clip_by_norm(g, 5.0), v) for g, v in grads_and_vars]
        train_op = optimizer.apply_gradients(clipped, global_step)

    tf.summary.scalar('train_ctc_loss', train_loss)
    tf.summary.scalar('learning_rate', learning_rate)
    merge_summary_op = tf.summary.merge_all()
    saver = tf.train.Saver()

    sess_config = tf.ConfigProto(allow_soft_placement=True)
    sess_config.gpu_options.per_process_gpu_memory_fraction = args.gpu_memory
    sess_config.gpu_options.allocator_type = 'BFC'
    sess = tf.Session(config=sess_config)
    summary_writer = tf.summary.FileWriter(args.save_dir, sess.graph)

    with sess.as_default():
        if args.weights_path is None:
            sess.run(tf.global_variables_initializer())
        else:
            saver.restore(sess, args.weights_path)
        sess.run(train_iter.initializer)
        start = time.time()
        for step in range(1, args.steps + 1):
            _, loss_value, summary = sess.run([train_op, train_loss, merge_summary_op])
            summary_writer.add_summary(summary, step)
            if step % 10 == 0:
                print('step: %d, ctc loss: %.4f, %.3f s/step' % (
                    step, loss_value, (time.time() - start) / step))

        sess.run(val_iter.initializer)
        seen = 0
        while True:
            try:
                names, loss_value, distance = sess.run([val_names, val_loss, val_distance])
            except tf.errors.OutOfRangeError:
                break
            seen += len(names)
            print('val: %3d images, loss: %.4f, edit distance: %.4f' % (seen, loss_value, distance))
        saver.save(sess, ops.join(args.save_dir, 'shadownet.ckpt'), global_step=args.steps)


if __name__ == '__main__':
    train_shadownet(init_args())
