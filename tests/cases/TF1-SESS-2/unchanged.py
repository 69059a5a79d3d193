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
#### a global
import tensorflow as tf
sess = None
def setup():
    global sess
    sess = tf.Session()
    sess.run(init)
#### findings
5 manual
#### a session that is freed at once
import tensorflow as tf
print(tf.Session().run(x))
print(tf.Session().list_devices())
#### opened again and again
import tensorflow as tf


class Agent:
    def __init__(self):
        self.sess = tf.Session()


def fold(data):
    sess = tf.Session()
    return Trainer(sess, data)


agents = [Agent() for _ in range(4)]
for data in folds:
    fold(data)
#### findings
6 manual
10 manual
#### a function that others may call
import tensorflow as tf


def setup():
    sess = tf.InteractiveSession()
    return Trainer(sess)


first, second = setup(), setup()
#### findings
5 manual
#### a callback runs as often as its caller likes
import tensorflow as tf


def handle(request):
    sess = tf.InteractiveSession()


server.on_request(handle)
#### findings
5 manual
#### hooks of a monitored session have work to do when it is closed
import tensorflow as tf
sess = tf.train.MonitoredTrainingSession()
trainer = Trainer(sess)
#### findings
2 manual
#### a session of Keras for each fold
import tensorflow as tf
from tensorflow.keras import backend as K
for fold in folds:
    sess = tf.Session()
    K.set_session(sess)
    K.set_session(tf.Session())
#### Keras has it, and the program closes it
import tensorflow as tf
from tensorflow.keras import backend as K
sess = tf.Session()
K.set_session(sess)
train()
K.get_session().close()
sess.close()
