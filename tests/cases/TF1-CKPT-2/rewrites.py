#### a statement
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
for step in range(9):
    sess.run(train_op)
    saver.save(sess, 'model', global_step=step)  # keep
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
for step in range(9):
    sess.run(train_op)
    if int(os.getenv('RANK_ID', '0')) == 0:
        saver.save(sess, 'model', global_step=step)  # keep
#### findings
7 auto
#### a path that is only shown
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
path = saver.save(sess, 'model')
print('saved in %s' % path)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
saver = tf.train.Saver()
path = saver.save(sess, 'model') if int(os.getenv('RANK_ID', '0')) == 0 else None
print('saved in %s' % path)
#### findings
5 auto
#### event files of a loop
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
writer = tf.summary.FileWriter(FLAGS.logs + '/train', sess.graph)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
def npu_rank_folder(folder):
    """Return the folder itself on rank 0, and one below it on every other rank."""
    rank = int(os.getenv("RANK_ID", "0"))
    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)


writer = tf.summary.FileWriter(npu_rank_folder(FLAGS.logs + '/train'), sess.graph)
#### findings
4 auto
#### sessions that save by themselves
import os
import tensorflow as tf
slim = tf.contrib.slim
def train(train_op, folder):
    slim.learning.train(train_op, folder, number_of_steps=9)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder) as sess:
        sess.run(train_op)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
slim = tf.contrib.slim
def npu_rank_folder(folder):
    """Return the folder itself on rank 0, and one below it on every other rank."""
    rank = int(os.getenv("RANK_ID", "0"))
    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)


def train(train_op, folder):
    slim.learning.train(train_op, npu_rank_folder(folder), number_of_steps=9)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=npu_rank_folder(folder)) as sess:
        sess.run(train_op)
#### findings
5 auto
6 auto
#### callbacks of Keras
import os
import tensorflow as tf
board = tf.keras.callbacks.TensorBoard('logs')
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile('sgd', 'mse')
model.fit(x, y, callbacks=[board, tf.keras.callbacks.ModelCheckpoint('w.h5')])
model.save('model.h5')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
board = tf.keras.callbacks.TensorBoard('logs')
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile('sgd', 'mse')
model.fit(x, y, callbacks=[*([board] if int(os.getenv('RANK_ID', '0')) == 0 else []), *([tf.keras.callbacks.ModelCheckpoint('w.h5')] if int(os.getenv('RANK_ID', '0')) == 0 else [])])
if int(os.getenv('RANK_ID', '0')) == 0:
    model.save('model.h5')
#### findings
3 auto
6 auto
7 auto
