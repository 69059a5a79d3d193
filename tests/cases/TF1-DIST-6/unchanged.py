#### one device
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
tf.train.Saver().save(sess, 'a')
tf.train.MonitoredTrainingSession()
#### Horovod broadcasts by itself
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
#### with distributed=horovod
#### a script that does not train
import tensorflow as tf
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(predictions)
tf.train.Saver().save(sess, 'a')
#### with distributed=tf_strategy
#### broadcast by hand
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(hccl_ops.broadcast(tf.trainable_variables(), 0))
#### with distributed=tf_strategy
#### something else is run
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
sess.run(tf.local_variables_initializer())
sess.run(op)
#### with distributed=tf_strategy
#### the result is used
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
x = sess.run(tf.global_variables_initializer())
#### with distributed=tf_strategy
#### findings
4 manual
#### initialised twice, broadcast once
import tensorflow as tf
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
op = tf.train.AdamOptimizer().minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
hook = NPUBroadcastGlobalVariablesHook(0, 0)
#### with distributed=tf_strategy
#### hooks that cannot be seen
import tensorflow as tf
tf.train.MonitoredTrainingSession(**options)
#### with distributed=tf_strategy
#### findings
2 manual
#### a function that rewrites a checkpoint, in a file that trains
import tensorflow as tf


def train_op(loss):
    return tf.train.AdamOptimizer().minimize(loss)


def average(values, out):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for op, feed in values:
            sess.run(op, feed)
        tf.train.Saver().save(sess, out)
#### with distributed=tf_strategy
#### init arguments that cannot be seen
import tensorflow as tf
sv = tf.train.Supervisor(**options)
#### with distributed=tf_strategy
#### findings
2 manual
#### a thread
import threading
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
threading.Thread(target=f).run()
#### with distributed=tf_strategy
#### test cases train nothing
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_step(self):
        op = tf.train.AdamOptimizer(0.001).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(op)
#### with distributed=tf_strategy
#### a monitored session that only evaluates
import tensorflow as tf
with tf.train.MonitoredSession() as sess:
    print(sess.run(accuracy))
#### with distributed=tf_strategy
#### a class that only predicts
import tensorflow as tf


class Predictor:
    def __init__(self, sess):
        self.init = tf.global_variables_initializer()
        sess.run(self.init)

    def trained(self):
        return True
#### with distributed=tf_strategy
#### an attribute that initialises something else
import tensorflow as tf


class Trainer:
    def __init__(self, sess):
        self.init = tf.local_variables_initializer()
        sess.run(self.init)

    def train(self):
        pass
#### with distributed=tf_strategy
#### a program that predicts with a model of another file, which also makes a step
import tensorflow as tf
from net import Net


class Predictor(object):
    def __init__(self):
        self.model = Net()
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def predict(self, x):
        return self.session.run(self.model.y, {self.model.x: x})
#### file net.py
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [])
        self.y = self.x * 2
        self.step = tf.train.AdamOptimizer().minimize(self.y)
#### with distributed=tf_strategy
#### an entry that another file fills with something else
import tensorflow as tf
from net import build

with tf.Session() as sess:
    spec = build()
    sess.run(spec['init'])
    sess.run(spec['train_op'])
#### file net.py
import tensorflow as tf


def build():
    loss = tf.get_variable('w', [])
    step = tf.train.AdamOptimizer().minimize(loss)
    return {'train_op': step, 'init': tf.global_variables_initializer()}
#### file data.py
import tensorflow as tf


def read(iterator):
    return {'init': iterator.initializer}
#### with distributed=tf_strategy
#### a session that a function gets from one that only evaluates
import tensorflow as tf


def begin(session):
    session.run(tf.global_variables_initializer())
#### file evaluate.py
import tensorflow as tf
from main import begin


def evaluate(model):
    session = tf.Session()
    begin(session)
    print(session.run(model.accuracy))
#### with distributed=tf_strategy
