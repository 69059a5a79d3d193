#### what is used as a probability, a rate or a switch is a single number
import tensorflow as tf
keep = tf.placeholder(tf.float32)
rate = tf.placeholder("float", name="rate")
training = tf.placeholder(tf.bool, None, "training")
h = tf.nn.dropout(x, keep)
h = tf.layers.batch_normalization(h, training=training)
train_op = tf.train.AdamOptimizer(rate).minimize(loss)
#### after
import tensorflow as tf
keep = tf.placeholder(tf.float32, shape=())
rate = tf.placeholder("float", name="rate", shape=())
training = tf.placeholder(tf.bool, (), "training")
h = tf.nn.dropout(x, keep)
h = tf.layers.batch_normalization(h, training=training)
train_op = tf.train.AdamOptimizer(rate).minimize(loss)
#### findings
2 auto
3 auto
4 auto
#### an attribute, used by a function of the project
import tensorflow as tf


def layer(x, keep_prob):
    return tf.nn.dropout(tf.layers.dense(x, 8), keep_prob=keep_prob)


class Model:
    def __init__(self, x):
        self.keep_prob = tf.placeholder(tf.float32, name='keep_prob')
        self.out = layer(x, self.keep_prob)
#### after
import tensorflow as tf


def layer(x, keep_prob):
    return tf.nn.dropout(tf.layers.dense(x, 8), keep_prob=keep_prob)


class Model:
    def __init__(self, x):
        self.keep_prob = tf.placeholder(tf.float32, name='keep_prob', shape=())
        self.out = layer(x, self.keep_prob)
#### findings
10 auto
#### only numbers are fed
import tensorflow as tf


def train():
    scale = tf.placeholder(tf.float32)
    loss = scale * tf.reduce_sum(x)
    with tf.Session() as sess:
        sess.run(loss, feed_dict={scale: 0.5})
        feed = {}
        feed[scale] = -1 / 2
        sess.run(loss, feed)
#### after
import tensorflow as tf


def train():
    scale = tf.placeholder(tf.float32, shape=())
    loss = scale * tf.reduce_sum(x)
    with tf.Session() as sess:
        sess.run(loss, feed_dict={scale: 0.5})
        feed = {}
        feed[scale] = -1 / 2
        sess.run(loss, feed)
#### findings
5 auto
