#### a flat script
import tensorflow as tf

(x, y), _ = tf.keras.datasets.mnist.load_data()

# the model
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile('sgd', 'mse')
model.fit(x, y)
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config

(x, y), _ = tf.keras.datasets.mnist.load_data()

# the model
npu_keras_sess = set_keras_session_npu_config()
atexit.register(npu_keras_sess.close)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile('sgd', 'mse')
model.fit(x, y)
#### findings
6 auto
#### a flat script nobody names as an entry point
from tensorflow.keras.models import Sequential
model = Sequential()
model.fit(x, y)
#### with entry=
#### after
import atexit
from tensorflow.keras.models import Sequential
from npu_bridge.npu_init import set_keras_session_npu_config
npu_keras_sess = set_keras_session_npu_config()
atexit.register(npu_keras_sess.close)
model = Sequential()
model.fit(x, y)
#### a main function
import tensorflow as tf


def main():
    """Trains."""
    args = parse()
    model = tf.keras.Sequential()
    model.fit(args.x)


if __name__ == "__main__":
    main()
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config


def main():
    """Trains."""
    args = parse()
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    model = tf.keras.Sequential()
    model.fit(args.x)


if __name__ == "__main__":
    main()
#### an app runner never returns, so the close is registered
import tensorflow as tf

def main(_):
    model = tf.keras.Sequential()
    model.fit(x)

if __name__ == '__main__':
    tf.app.run()
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config

def main(_):
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    model = tf.keras.Sequential()
    model.fit(x)

if __name__ == '__main__':
    tf.app.run()
#### built and trained in other files
import trainer

def main():
    trainer.run(30)

if __name__ == '__main__':
    main()
#### file models.py
from tensorflow import keras
def build():
    return keras.models.Model(a, b)
#### file trainer.py
import models
def run(epochs):
    model = models.build()
    model.fit_generator(gen, epochs=epochs)
#### after
import atexit
import trainer
from npu_bridge.npu_init import set_keras_session_npu_config

def main():
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    trainer.run(30)

if __name__ == '__main__':
    main()
#### findings
4 auto
#### a class that trains what it built
import tensorflow as tf

class Trainer:
    def __init__(self):
        self.model = tf.keras.Sequential()
    def train(self, x):
        self.model.train_on_batch(x)

if __name__ == '__main__':
    Trainer().train(data)
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config

class Trainer:
    def __init__(self):
        self.model = tf.keras.Sequential()
    def train(self, x):
        self.model.train_on_batch(x)

if __name__ == '__main__':
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    Trainer().train(data)
#### a model trained in a loop gets one session before the loop
import tensorflow as tf
for fold in range(5):
    model = tf.keras.Sequential()
    model.fit(x[fold], y[fold])
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
npu_keras_sess = set_keras_session_npu_config()
atexit.register(npu_keras_sess.close)
for fold in range(5):
    model = tf.keras.Sequential()
    model.fit(x[fold], y[fold])
#### the session belongs to the graph the model is built in
import tensorflow as tf
with tf.Graph().as_default():
    model = tf.keras.Sequential()
    model.fit(x)
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
with tf.Graph().as_default():
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    model = tf.keras.Sequential()
    model.fit(x)
#### native keras, which becomes tf.keras
from keras.models import Sequential
model = Sequential()
model.fit(x)
#### after
import atexit
from keras.models import Sequential
from npu_bridge.npu_init import set_keras_session_npu_config
npu_keras_sess = set_keras_session_npu_config()
atexit.register(npu_keras_sess.close)
model = Sequential()
model.fit(x)
#### options requested reach the session
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x)
#### with npu.precision_mode=allow_mix_precision
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
from npu_options import session_config
npu_keras_sess = set_keras_session_npu_config(config=session_config())
atexit.register(npu_keras_sess.close)
model = tf.keras.Sequential()
model.fit(x)
#### a function that builds is no place for it: the caller trains
import tensorflow as tf
def create():
    return tf.keras.Sequential()
if __name__ == '__main__':
    model = create()
    model.fit(x)
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
def create():
    return tf.keras.Sequential()
if __name__ == '__main__':
    npu_keras_sess = set_keras_session_npu_config()
    atexit.register(npu_keras_sess.close)
    model = create()
    model.fit(x)
#### the user's own variable of that name keeps it
import tensorflow as tf
npu_keras_sess = 'mine'
model = tf.keras.Sequential()
model.predict(x)
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import set_keras_session_npu_config
npu_keras_sess = 'mine'
npu_keras_sess_2 = set_keras_session_npu_config()
atexit.register(npu_keras_sess_2.close)
model = tf.keras.Sequential()
model.predict(x)
#### clearing sets a session for the NPU again
from tensorflow.keras import backend as K
def reset():
    K.clear_session()
#### after
from tensorflow.keras import backend as K
from npu_bridge.npu_init import npu_clear_session
def reset():
    npu_clear_session()
#### clearing with options
import tensorflow as tf
tf.keras.backend.clear_session()
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_clear_session
from npu_options import session_config
npu_clear_session(config=session_config())
#### a script that clears first has its session from there
import tensorflow as tf
tf.keras.backend.clear_session()
model = tf.keras.Sequential()
model.fit(x)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_clear_session
npu_clear_session()
model = tf.keras.Sequential()
model.fit(x)
