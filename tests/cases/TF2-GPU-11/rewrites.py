#### memory growth by an interactive session
import tensorflow as tf
from tensorflow.compat.v1 import ConfigProto, InteractiveSession

config = ConfigProto()
config.gpu_options.allow_growth = True
session = InteractiveSession(config=config)
model = tf.keras.models.load_model("model")
#### after
import tensorflow as tf
from tensorflow.compat.v1 import ConfigProto, InteractiveSession

model = tf.keras.models.load_model("model")
#### findings
6 auto
#### in a function, given to Keras and closed
import tensorflow as tf


def main():
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    sess = tf.compat.v1.Session(config=config)
    tf.compat.v1.keras.backend.set_session(sess)
    model = tf.keras.models.load_model("model")
    model.fit(x, y)
    sess.close()
#### after
import tensorflow as tf


def main():
    model = tf.keras.models.load_model("model")
    model.fit(x, y)
#### findings
7 auto
#### without a name
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.allow_growth = True
tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=config))
tf.compat.v1.InteractiveSession()
model = tf.keras.models.load_model("model")
#### after
import tensorflow as tf

model = tf.keras.models.load_model("model")
#### findings
5 auto
6 auto
#### a config that something else reads stays
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.allow_growth = True
print(config)
session = tf.compat.v1.Session(config=config)
model = tf.keras.models.load_model("model")
#### after
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.allow_growth = True
print(config)
model = tf.keras.models.load_model("model")
#### findings
6 auto
#### a function that does nothing else
import tensorflow as tf


def set_memory():
    config = tf.compat.v1.ConfigProto()
    config.gpu_options.allow_growth = True
    tf.compat.v1.Session(config=config)


set_memory()
tf.keras.models.load_model("model")
#### after
import tensorflow as tf


def set_memory():
    pass


set_memory()
tf.keras.models.load_model("model")
#### findings
7 auto
