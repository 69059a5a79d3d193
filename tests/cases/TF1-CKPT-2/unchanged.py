#### one device
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
saver.save(sess, 'model')
writer = tf.summary.FileWriter('logs')
#### Horovod projects choose a rank themselves
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
tf.train.Saver().save(sess, 'model')
#### with distributed=horovod
#### rank 0 alone
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
if rank == 0:
    saver.save(sess, 'model')
    writer = tf.summary.FileWriter('logs')
writer = tf.summary.FileWriter('logs' if rank == 0 else 'other')
#### with distributed=tf_strategy
#### other ranks have left
import tensorflow as tf
def train(loss):
    train_op = tf.train.AdamOptimizer().minimize(loss)
    if rank != 0:
        return
    tf.train.Saver().save(sess, 'model')
#### with distributed=tf_strategy
#### a path that is used further on
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
path = saver.save(sess, 'model')
saver.restore(sess, path)
#### with distributed=tf_strategy
#### findings
4 manual
#### a function that rewrites a checkpoint, in a file that trains
import tensorflow as tf


def train_op(loss):
    return tf.train.AdamOptimizer().minimize(loss)


def average(values, out):
    with tf.Session() as sess:
        tf.train.Saver().save(sess, out)
#### with distributed=tf_strategy
#### no folder
import tensorflow as tf
with tf.train.MonitoredTrainingSession() as sess:
    sess.run(train_op)
with tf.train.MonitoredTrainingSession(checkpoint_dir=None) as sess:
    sess.run(train_op)
#### with distributed=tf_strategy
#### somebody else's writer
from logs import FileWriter
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
writer = FileWriter('logs')
#### with distributed=tf_strategy
