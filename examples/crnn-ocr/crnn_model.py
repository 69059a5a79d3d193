"""CNN -> BiLSTM stack -> CTC, see https://arxiv.org/abs/1507.05717"""
import tensorflow as tf

import config as cfg


class ShadowNet(object):

    def __init__(self, phase):
        """phase: 'train' or 'val', a python string or a string tensor"""
        if isinstance(phase, str):
            phase = tf.constant(phase, dtype=tf.string)
        self._is_training = tf.equal(phase, tf.constant('train', dtype=tf.string))

    def _conv_stage(self, inputs, filters, pool, name):
        with tf.variable_scope(name):
            net = tf.layers.conv2d(inputs, filters, 3, padding='same', use_bias=False, name='conv')
            net = tf.layers.batch_normalization(
                net, momentum=0.9, training=self._is_training, name='bn')
            net = tf.nn.relu(net)
            return tf.layers.max_pooling2d(net, pool, pool, name='pool')

    def _feature_sequence(self, images):
        net = self._conv_stage(images, 16, [2, 2], 'conv1')     # 16 x 50
        net = self._conv_stage(net, 32, [2, 2], 'conv2')        # 8 x 25
        net = self._conv_stage(net, 64, [2, 1], 'conv3')        # 4 x 25
        net = self._conv_stage(net, 64, [4, 1], 'conv4')        # 1 x 25
        return tf.squeeze(net, axis=1, name='squeeze')

    def _sequence_label(self, sequence):
        fw_cells = [tf.nn.rnn_cell.LSTMCell(cfg.HIDDEN_UNITS, forget_bias=1.0)
                    for _ in range(cfg.HIDDEN_LAYERS)]
        bw_cells = [tf.nn.rnn_cell.LSTMCell(cfg.HIDDEN_UNITS, forget_bias=1.0)
                    for _ in range(cfg.HIDDEN_LAYERS)]
        stack, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            fw_cells, bw_cells, sequence, dtype=tf.float32)
        stack = tf.cond(self._is_training,
                        lambda: tf.nn.dropout(stack, keep_prob=0.9),
                        lambda: stack)
        logits = tf.layers.dense(stack, cfg.NUM_CLASSES, name='logits')
        return tf.transpose(logits, [1, 0, 2], name='transpose_time_major')

    def inference(self, images, name, reuse=False):
        with tf.variable_scope(name, reuse=reuse):
            return self._sequence_label(self._feature_sequence(images))

    def compute_loss(self, images, labels, name, reuse=False):
        logits = self.inference(images, name, reuse)
        batch_size = tf.shape(images)[0]
        loss = tf.reduce_mean(tf.nn.ctc_loss(
            labels=labels, inputs=logits,
            sequence_length=cfg.SEQ_LENGTH * tf.ones([batch_size], tf.int32)))
        return logits, loss
