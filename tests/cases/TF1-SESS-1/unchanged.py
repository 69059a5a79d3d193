#### somebody else's Session
import requests as tf
tf.Session()
#### already wrapped
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
tf.Session(config=npu_config_proto())
#### wrapped before
import tensorflow as tf
from npu_bridge.npu_init import *
config = tf.ConfigProto()
config = npu_config_proto(config_proto=config)
with tf.Session(config=config) as sess:
    pass
#### an entry by hand
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
with tf.Session(config=config) as sess:
    pass
#### an entry by hand through names for parts of the config
import tensorflow as tf
config = tf.ConfigProto()
rewrite = config.graph_options.rewrite_options
custom_op = rewrite.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
sess = tf.Session(config=config)
#### an entry in rewrite options the config is built from
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
rewrite = RewriterConfig()
rewrite.custom_optimizers.add().name = "NpuOptimizer"
sess = tf.Session(config=tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options=rewrite)))
#### an entry in an attribute
import tensorflow as tf

class Trainer:
    def __init__(self):
        self.config = tf.ConfigProto()
        op = self.config.graph_options.rewrite_options.custom_optimizers.add()
        op.name = "NpuOptimizer"

    def train(self):
        with tf.Session(config=self.config) as sess:
            pass
#### an entry made by a function of another file
import tensorflow as tf
from helper import make_config
with tf.Session(config=make_config()) as sess:
    pass
#### file helper.py
import tensorflow as tf
def make_config():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    return config
#### a config of another file
import tensorflow as tf
from settings import config
import settings
a = tf.Session(config=config)
b = tf.Session(config=settings.config)
#### file settings.py
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = npu_config_proto(config_proto=tf.ConfigProto())
#### a helper fills the config it is given
import tensorflow as tf

def for_npu(config):
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"

config = tf.ConfigProto()
for_npu(config)
sess = tf.Session(config=config)
#### every caller passes one
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

def train(steps, config):
    with tf.Session(config=config) as sess:
        pass

train(10, npu_config_proto())
train(20, config=npu_config_proto())
#### the options module made it
import tensorflow as tf
from npu_options import session_config
with tf.Session(config=session_config(config)) as sess:
    pass
#### with npu.precision_mode=allow_mix_precision
#### starred arguments are reported, not touched
import tensorflow as tf
def open_session(*args, **kwargs):
    return tf.Session(*args, **kwargs)
#### findings
3 manual
#### a monitored session has no config of its own
import tensorflow as tf
with tf.train.MonitoredSession(session_creator=creator) as sess:
    pass
#### a default session is not a new one
import tensorflow as tf
sess = tf.get_default_session()
#### a supervisor nobody can see
def train(sv, config):
    import tensorflow as tf
    with sv.managed_session(config=config) as sess:
        pass
#### findings
3 possible
#### a method of the same name
import tensorflow as tf

class Store:
    def session(self):
        return None

Store().session()
#### mentioned, not called
import tensorflow as tf
assert isinstance(sess, tf.Session)
def run(sess: tf.Session) -> None:
    pass
#### in a string and a comment
import tensorflow as tf
text = "tf.Session()"  # tf.Session()
#### suppressed
import tensorflow as tf
sess = tf.Session()  # ascendify: skip[TF1-SESS-1]
#### data work on the host
import tensorflow as tf

class ImageReader:
    def __init__(self):
        self.data = tf.placeholder(dtype=tf.string)
        self.image = tf.image.decode_jpeg(self.data, channels=3)

    def read(self, path):
        with tf.Session() as sess:
            return sess.run(self.image, feed_dict={self.data: tf.gfile.FastGFile(path, "rb").read()})
#### findings
9 info
#### decoding beside a network is not data work
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
image = tf.image.decode_jpeg(data)
logits = tf.layers.dense(image, 10)
sess = tf.Session(config=npu_config_proto())
#### the shared session of a test takes one config object only
import tensorflow as tf

class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.cached_session():
            loss.eval()
        with self.test_session() as sess:
            sess.run(loss)
#### findings
5 info
