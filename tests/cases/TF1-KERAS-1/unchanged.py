#### a library file that builds and trains gets no session
import tensorflow as tf

def train(x):
    model = tf.keras.Sequential()
    model.fit(x)
#### with entry=other.py
#### a script that sets its session
import tensorflow as tf
from tensorflow.keras import backend as K
K.set_session(tf.Session(config=config))
model = tf.keras.Sequential()
model.fit(x)
#### the session is set in a function of another file
import tensorflow as tf
import setup_gpu
setup_gpu.prepare()
model = tf.keras.Sequential()
model.fit(x)
#### file setup_gpu.py
import tensorflow as tf
def prepare():
    tf.keras.backend.set_session(tf.Session())
#### the model runs in the session around it
import tensorflow as tf
with tf.Session() as sess:
    model = tf.keras.Sequential()
    model.fit(x)
#### an Estimator project
import tensorflow as tf
def main(_):
    model = tf.keras.Sequential()
    estimator = tf.keras.estimator.model_to_estimator(model)
    estimator.train(input_fn)
    model.predict(x)
if __name__ == '__main__':
    tf.app.run()
#### layers in a session.run script
import tensorflow as tf
y = tf.keras.layers.Dense(3)(x)
with tf.Session() as sess:
    sess.run(y)
#### something else that fits
from sklearn.linear_model import LinearRegression
import tensorflow as tf
clf = LinearRegression()
clf.fit(x, y)
#### a class of the user's with a fit method
import tensorflow as tf
class Net:
    def fit(self, x):
        return tf.keras.layers.Dense(3)(x)
Net().fit(x)
#### unit tests build in graphs of their own
import tensorflow as tf
class NetTest(tf.test.TestCase):
    def test_fit(self):
        model = tf.keras.Sequential()
        model.fit(x)
if __name__ == '__main__':
    tf.test.main()
#### the function that builds clears the session first, as the NPU's function does
import tensorflow as tf
from npu_bridge.npu_init import npu_clear_session
def create():
    npu_clear_session()
    return tf.keras.Sequential()
def main():
    model = create()
    model.fit(x)
if __name__ == '__main__':
    main()
#### only data sets and helpers of Keras
import tensorflow as tf
if __name__ == '__main__':
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    y = tf.keras.utils.to_categorical(y)
#### migrated before
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
npu_keras_sess = set_keras_session_npu_config()
atexit.register(npu_keras_sess.close)
model = tf.keras.Sequential()
model.fit(x)
#### migrated by the vendor's tool
from npu_bridge.npu_init import *
import tensorflow as tf
npu_keras_sess = set_keras_session_npu_config()
model = tf.keras.Sequential()
model.fit(x)
#### a model that cannot be followed is a question
import tensorflow as tf
from zoo import make
inputs = tf.keras.Input([3])
model = make(inputs)
model.fit(x)
#### findings
5 possible
#### somebody else's clear_session
import backend as K
K.clear_session()
#### clear_session handed on
import atexit
import tensorflow as tf
atexit.register(tf.keras.backend.clear_session)
#### a file that mentions keras in a comment
import tensorflow as tf  # keras: model.fit(x)
x = 1
