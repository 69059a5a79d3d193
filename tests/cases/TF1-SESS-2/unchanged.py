#### a with block closes it
import tensorflow as tf
with tf.Session() as sess:
    sess.run(op)
#### closed already
import tensorflow as tf
sess = tf.Session()
try:
    sess.run(op)
finally:
    sess.close()
#### entered later
import tensorflow as tf
sess = tf.Session()
with sess:
    sess.run(op)
#### the NPU's own way to close
import tensorflow as tf
from npu_bridge.npu_init import *
sess = tf.Session()
sess.run(op)
close_session(sess)
#### closed by a function it is given to
import tensorflow as tf
def finish(sess):
    sess.run(op)
    sess.close()
sess = tf.Session()
finish(sess)
#### returned to the caller
import tensorflow as tf
def open_session():
    sess = tf.Session()
    sess.run(init)
    return sess, graph
def open_another():
    return tf.Session()
#### Keras has it
import tensorflow as tf
from tensorflow.keras import backend as K
sess = tf.Session()
K.set_session(sess)
K.set_session(tf.Session())
#### a session in a list that is closed elsewhere
import tensorflow as tf
class Pool:
    def add(self):
        sess = tf.Session()
        self.sessions.append(sess)
    def close(self):
        for sess in self.sessions:
            sess.close()
#### an attribute that is closed
import tensorflow as tf
class Model:
    def __init__(self):
        self.sess = tf.Session()
    def close(self):
        self.sess.close()
#### an attribute that another file closes
import tensorflow as tf
class Model:
    def __init__(self):
        sess = tf.Session()
        self.session = sess
#### file run.py
import main
model = main.Model()
model.session.close()
#### a loop that never ends
import tensorflow as tf
def serve():
    sess = tf.Session()
    while True:
        sess.run(op)
#### data work on the host
import tensorflow as tf
sess = tf.Session()
image = sess.run(tf.image.decode_jpeg(data))
#### somebody else's Session
import requests
session = requests.Session()
session.get(url)
#### an attribute nobody closes
import tensorflow as tf
class Model:
    def __init__(self):
        self.sess = tf.Session()
    def predict(self, x):
        return self.sess.run(self.y, {self.x: x})
#### findings
4 manual
#### control may leave before the end
import tensorflow as tf
def evaluate():
    sess = tf.Session()
    if not ready:
        return None
    sess.run(op)
#### findings
3 manual
#### an object may keep it
import tensorflow as tf
sess = tf.Session()
agent = Agent(sess)
agent.train()
#### findings
2 manual
#### queue runners go on using it
import tensorflow as tf
sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
sess.run(op)
coord.request_stop()
coord.join(threads)
#### findings
2 manual
#### a default session is used without its name
import tensorflow as tf
sess = tf.InteractiveSession()
sess.run(init)
print(loss.eval())
#### findings
2 manual
#### used in a function that may run later
import tensorflow as tf
sess = tf.Session()
def step():
    return sess.run(op)
#### findings
2 manual
#### no name holds it
import tensorflow as tf
tf.InteractiveSession()
print(tf.Session().run(x))
#### findings
2 manual
3 manual
#### several statements on one line
import tensorflow as tf
sess = tf.Session(); sess.run(init); print("ready")
#### findings
2 manual
#### a global
import tensorflow as tf
sess = None
def setup():
    global sess
    sess = tf.Session()
    sess.run(init)
#### findings
5 manual
