#### after the last use
import tensorflow as tf

def train():
    sess = tf.Session()
    sess.run(init)
    for step in range(10):
        sess.run(train_op)
    print("done")
#### after
import tensorflow as tf

def train():
    sess = tf.Session()
    sess.run(init)
    for step in range(10):
        sess.run(train_op)
    sess.close()
    print("done")
#### findings
4 auto
#### at module level
import tensorflow as tf
sess = tf.Session(config=config)
value = sess.run(op)  # the last one
print(value)
#### after
import tensorflow as tf
sess = tf.Session(config=config)
value = sess.run(op)  # the last one
sess.close()
print(value)
#### the last use is what a function returns
import tensorflow as tf

def predict(image):
    saver = tf.train.Saver()
    sess = tf.Session(graph=graph)
    saver.restore(sess, path)
    return sess.run(output, feed_dict={x: image})
#### after
import tensorflow as tf

def predict(image):
    saver = tf.train.Saver()
    sess = tf.Session(graph=graph)
    saver.restore(sess, path)
    result = sess.run(output, feed_dict={x: image})
    sess.close()
    return result
#### lent to functions that give it back
import tensorflow as tf

def load(saver, session):
    saver.restore(session, path)

def main():
    saver = tf.train.Saver()
    sess = tf.Session()
    with sess.as_default():
        tf.constant(1.0).eval(session=sess)
    load(saver, session=sess)
    writer = tf.summary.FileWriter(logdir, sess.graph)
#### after
import tensorflow as tf

def load(saver, session):
    saver.restore(session, path)

def main():
    saver = tf.train.Saver()
    sess = tf.Session()
    with sess.as_default():
        tf.constant(1.0).eval(session=sess)
    load(saver, session=sess)
    writer = tf.summary.FileWriter(logdir, sess.graph)
    sess.close()
#### findings
8 auto
#### in a loop, for every turn
import tensorflow as tf
for path in paths:
    sess = tf.Session()
    for batch in batches:
        if not batch:
            break
        sess.run(op)
#### after
import tensorflow as tf
for path in paths:
    sess = tf.Session()
    for batch in batches:
        if not batch:
            break
        sess.run(op)
    sess.close()
#### never used
import tensorflow as tf
def check():
    sess = tf.Session()
#### after
import tensorflow as tf
def check():
    sess = tf.Session()
    sess.close()
