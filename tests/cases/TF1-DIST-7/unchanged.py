#### one device
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
sess.run(train_op, feed_dict={x: batch})
#### Horovod projects divide by themselves
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
sess.run(train_op, feed_dict={x: batch})
#### with distributed=horovod
#### nothing is fed
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
sess.run(train_op)
sess.run(train_op, feed_dict=None)
#### evaluation sees all samples on every device
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
sess.run([loss, accuracy], feed_dict={x: test})
sess.run(train_loss, feed_dict={x: batch})
sess.run(iterator.initializer, feed_dict={files: names})
#### with distributed=tf_strategy
#### divided by hand
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
rank = int(os.getenv('RANK_ID', '0'))
sess.run(train_op, feed_dict={x: batch[rank::8]})
#### with distributed=tf_strategy
#### a batch size that is fixed
import tensorflow as tf
x = tf.placeholder(tf.float32, [32, 4])
train_op = tf.train.AdamOptimizer().minimize(loss)
sess.run(train_op, feed_dict={x: batch})
#### with distributed=tf_strategy
#### findings
4 manual
#### run of something else
import subprocess
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
subprocess.run(['train'], {'a': 1})
tf.app.run(main)
#### with distributed=tf_strategy
#### a test case
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_step(self):
        train_op = tf.train.AdamOptimizer().minimize(loss)
        with tf.Session() as sess:
            sess.run(train_op, feed_dict={x: batch})
#### with distributed=tf_strategy
#### fixed sizes, fed by a function
import tensorflow as tf
xs = [tf.placeholder(tf.float32, shape=(args.batch_size,) + size) for i in range(4)]
rate = tf.placeholder(tf.float32, shape=[])
train_op = tf.train.AdamOptimizer(rate).minimize(loss)
sess.run(train_op, make_feed(data))
#### with distributed=tf_strategy
#### findings
5 manual
#### a reader of MNIST with a seed
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('data', seed=3)
#### with distributed=tf_strategy
#### a reader of MNIST behind a seed of TensorFlow, from which NumPy's is taken
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
tf.set_random_seed(3)
mnist = input_data.read_data_sets('data')
#### with distributed=tf_strategy
#### a reader of MNIST on one device
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('data')
#### a graph that is built for one batch size
import tensorflow as tf
from net import batch_size, loss, x

train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(train_op, feed_dict={x: batch})
#### file net.py
import tensorflow as tf

batch_size = 50
x = tf.placeholder(tf.int32, [None, None])
go = tf.concat([tf.fill([batch_size, 1], 0), x], 1)
loss = tf.reduce_sum(go)
#### with distributed=tf_strategy
#### findings
6 manual
