#### a session that runs something
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    session = tf.compat.v1.Session()
    session.run(fetches)
tf.keras.models.load_model("model")
#### a session that is passed on
import tensorflow as tf

session = tf.compat.v1.Session()
restore(session)
tf.keras.models.load_model("model")
#### without eager execution Keras trains in it
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
session = tf.compat.v1.Session()
tf.compat.v1.keras.backend.set_session(session)
tf.keras.models.load_model("model").fit(x, y)
#### what others may import
import tensorflow as tf

session = tf.compat.v1.Session()
#### file other.py
from main import session

session.run(1)
#### a default session for eval
import tensorflow as tf

session = tf.compat.v1.InteractiveSession()
x = tf.compat.v1.placeholder(tf.float32)
print((x + 1).eval({x: 1}))
#### with
import tensorflow as tf

with tf.compat.v1.Session() as session:
    tf.keras.models.load_model("model").fit(x, y)
