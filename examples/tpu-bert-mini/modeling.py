# coding=utf-8
"""A Transformer encoder small enough to train on a laptop."""
import collections

import numpy as np
import tensorflow as tf

BertConfig = collections.namedtuple("BertConfig", [
    "vocab_size", "hidden_size", "num_layers", "num_heads", "intermediate_size",
    "max_positions", "type_vocab_size", "dropout_prob", "initializer_range"])

TINY = BertConfig(vocab_size=64, hidden_size=32, num_layers=2, num_heads=2, intermediate_size=64,
                  max_positions=32, type_vocab_size=2, dropout_prob=0.1, initializer_range=0.05)


def gelu(x):
    """Gaussian Error Linear Unit, the tanh approximation of https://arxiv.org/abs/1606.08415"""
    cdf = 0.5 * (1.0 + tf.tanh(
        (np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3)))))
    return x * cdf


def layer_norm(x, name="LayerNorm"):
    with tf.variable_scope(name):
        depth = x.shape[-1].value
        gamma = tf.get_variable("gamma", [depth], initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", [depth], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, axes=[-1], keep_dims=True)
        return gamma * (x - mean) * tf.rsqrt(variance + 1e-12) + beta


def dropout(x, dropout_prob):
    if dropout_prob is None or dropout_prob == 0.0:
        return x
    return tf.nn.dropout(x, 1.0 - dropout_prob)


def dense(x, units, config, activation=None, name=None):
    init = tf.truncated_normal_initializer(stddev=config.initializer_range)
    return tf.layers.dense(x, units, activation, kernel_initializer=init, name=name)


def self_attention(x, mask, config, drop):
    length, width = x.shape[1].value, config.hidden_size
    head_size = width // config.num_heads

    def heads(name):
        y = dense(x, width, config, name=name)
        return tf.transpose(tf.reshape(y, [-1, length, config.num_heads, head_size]), [0, 2, 1, 3])

    scores = tf.matmul(heads("query"), heads("key"), transpose_b=True) / head_size ** 0.5
    # padding gets -10000 before the softmax, as good as removing it
    scores += (1.0 - tf.cast(mask, tf.float32)[:, None, None, :]) * -10000.0
    probs = dropout(tf.nn.softmax(scores), drop)
    context = tf.transpose(tf.matmul(probs, heads("value")), [0, 2, 1, 3])
    return dense(tf.reshape(context, [-1, length, width]), width, config, name="output")


def bert_encode(config, is_training, input_ids, input_mask, segment_ids):
    """Returns the hidden state of the first token."""
    drop = config.dropout_prob if is_training else 0.0
    init = tf.truncated_normal_initializer(stddev=config.initializer_range)
    with tf.variable_scope("bert"):
        words = tf.get_variable("word", [config.vocab_size, config.hidden_size], initializer=init)
        types = tf.get_variable("type", [config.type_vocab_size, config.hidden_size], initializer=init)
        position = tf.get_variable("position", [config.max_positions, config.hidden_size], initializer=init)
        x = tf.gather(words, input_ids) + tf.gather(types, segment_ids)
        x += position[None, :input_ids.shape[1].value]
        x = dropout(layer_norm(x), drop)
        for i in range(config.num_layers):
            with tf.variable_scope("layer_%d" % i):
                attended = dropout(self_attention(x, input_mask, config, drop), drop)
                x = layer_norm(x + attended, "attention_norm")
                hidden = dense(x, config.intermediate_size, config, gelu, "intermediate")
                hidden = dropout(dense(hidden, config.hidden_size, config, name="projection"), drop)
                x = layer_norm(x + hidden, "output_norm")
        return dense(x[:, 0], config.hidden_size, config, tf.tanh, "pooler")
