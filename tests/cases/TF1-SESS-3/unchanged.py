#### two runs already
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
#### variables only
import tensorflow as tf
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
#### iterators only
import tensorflow as tf
train = tf.data.make_initializable_iterator(a)
test = tf.data.make_initializable_iterator(b)
with tf.Session() as sess:
    sess.run([train.initializer, test.initializer])
#### an iterator beside something else
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    sess.run([iterator.initializer, reset_metrics])
#### the initializer of a variable
import tensorflow as tf
step = tf.Variable(0)
with tf.Session() as sess:
    sess.run([tf.local_variables_initializer(), step.initializer])
#### a group of variables
import tensorflow as tf
init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
#### a group of train steps
import tensorflow as tf
train_op = tf.group(optimizer_step, update)
#### an initializer of unknown origin
import tensorflow as tf
def start(sess, it):
    sess.run([tf.global_variables_initializer(), it.initializer])
#### run of something else
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
runner.run([tf.global_variables_initializer(), iterator.initializer])
#### unknown parts are reported
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer, assign_op])
#### findings
4 manual
#### a result that is used
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    _, _ = sess.run([tf.global_variables_initializer(), iterator.initializer])
#### findings
4 manual
#### a group for a scaffold
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
scaffold = tf.train.Scaffold(
    local_init_op=tf.group(tf.local_variables_initializer(), iterator.initializer))
#### findings
4 manual
#### a group that goes elsewhere
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
init_op = tf.group(tf.global_variables_initializer(), iterator.initializer)
start(init_op)
#### findings
3 manual
