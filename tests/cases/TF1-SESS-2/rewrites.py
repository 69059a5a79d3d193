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
#### an object may keep it until the process ends
import tensorflow as tf
sess = tf.Session()  # for the agent
agent = Agent(sess)
agent.train()
#### after
import atexit
import tensorflow as tf
sess = tf.Session()  # for the agent
atexit.register(sess.close)
agent = Agent(sess)
agent.train()
#### findings
2 auto
#### queue runners go on using it
import tensorflow as tf
sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
sess.run(op)
coord.request_stop()
coord.join(threads)
#### after
import atexit
import tensorflow as tf
sess = tf.Session()
atexit.register(sess.close)
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
sess.run(op)
coord.request_stop()
coord.join(threads)
#### a default session is used without its name
import tensorflow as tf
sess = tf.InteractiveSession()
sess.run(init)
print(loss.eval())
#### after
import atexit
import tensorflow as tf
sess = tf.InteractiveSession()
atexit.register(sess.close)
sess.run(init)
print(loss.eval())
#### no name holds the default session
import tensorflow as tf
tf.InteractiveSession()
print(loss.eval())
#### after
import atexit
import tensorflow as tf
atexit.register(tf.InteractiveSession().close)
print(loss.eval())
#### used in a function that may run later
import tensorflow as tf
sess = tf.Session()
def step():
    return sess.run(op)
#### after
import atexit
import tensorflow as tf
sess = tf.Session()
atexit.register(sess.close)
def step():
    return sess.run(op)
#### several statements on one line
import tensorflow as tf
sess = tf.Session(); sess.run(init); print("ready")
#### after
import atexit
import tensorflow as tf
sess = tf.Session(); atexit.register(sess.close); sess.run(init); print("ready")
#### an object of which the program makes one
import tensorflow as tf


class Trainer(object):
    def __init__(self):
        self.sess = tf.Session()

    def train(self):
        self.sess.run(train_op)


if __name__ == '__main__':
    Trainer().train()
#### after
import atexit
import tensorflow as tf


class Trainer(object):
    def __init__(self):
        self.sess = tf.Session()
        atexit.register(self.sess.close)

    def train(self):
        self.sess.run(train_op)


if __name__ == '__main__':
    Trainer().train()
#### findings
6 auto
#### a function that the main function calls, which an app runner calls
import tensorflow as tf


def train():
    with tf.Graph().as_default():
        sess = tf.Session()
        with sess.as_default():
            def step(x):
                sess.run(train_op, {images: x})
            for x in batches:
                step(x)


def main(_):
    train()


if __name__ == '__main__':
    tf.app.run()
#### after
import atexit
import tensorflow as tf


def train():
    with tf.Graph().as_default():
        sess = tf.Session()
        atexit.register(sess.close)
        with sess.as_default():
            def step(x):
                sess.run(train_op, {images: x})
            for x in batches:
                step(x)


def main(_):
    train()


if __name__ == '__main__':
    tf.app.run()
#### findings
6 auto
#### a main function that is handed to the runner
import tensorflow as tf
from absl import app


def main(argv):
    sess = tf.InteractiveSession()


app.run(main=main)
#### after
import atexit
import tensorflow as tf
from absl import app


def main(argv):
    sess = tf.InteractiveSession()
    atexit.register(sess.close)


app.run(main=main)
#### Keras works with it until the process ends
import tensorflow as tf
from tensorflow.keras import backend as K
sess = tf.Session()
K.set_session(sess)
train()
#### after
import atexit
import tensorflow as tf
from tensorflow.keras import backend as K
sess = tf.Session()
atexit.register(sess.close)
K.set_session(sess)
train()
#### Keras gets one without a name
import tensorflow as tf
from tensorflow.keras import backend as K


def main():
    K.set_session(
        tf.Session(config=config))  # grows
    train()


main()
#### after
import atexit
import tensorflow as tf
from tensorflow.keras import backend as K


def main():
    npu_keras_sess = tf.Session(config=config)
    K.set_session(npu_keras_sess)
    atexit.register(npu_keras_sess.close)  # grows
    train()


main()
#### findings
7 auto
