#### session without arguments
import tensorflow as tf

sess = tf.Session()
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

sess = tf.Session(config=npu_config_proto())
#### findings
3 auto
#### keyword config
import tensorflow as tf
config = tf.ConfigProto()
with tf.Session(graph=g, config=config) as sess:  # train
    sess.run(op)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.ConfigProto()
with tf.Session(graph=g, config=npu_config_proto(config_proto=config)) as sess:  # train
    sess.run(op)
#### positional config keeps its position
import tensorflow.compat.v1 as tf
tf.Session('', g, cfg)
#### after
import tensorflow.compat.v1 as tf
from npu_bridge.npu_init import npu_config_proto
tf.Session('', g, npu_config_proto(config_proto=cfg))
#### an empty config
import tensorflow as tf
sess = tf.InteractiveSession(config=None)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
sess = tf.InteractiveSession(config=npu_config_proto())
#### a config that may be missing
import tensorflow as tf
sess = tf.Session(config=tf.ConfigProto(log_device_placement=True) if verbose else None)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
sess = tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto(log_device_placement=True) if verbose else None))
#### several lines with comments
import tensorflow as tf

sess = tf.Session(
    graph=graph,  # the frozen one
    config=tf.ConfigProto(
        allow_soft_placement=True,  # no kernel on the device
    ),
)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

sess = tf.Session(
    graph=graph,  # the frozen one
    config=npu_config_proto(config_proto=tf.ConfigProto(
        allow_soft_placement=True,  # no kernel on the device
    )),
)
#### the private path of the class
from tensorflow.python.client import session
sess = session.Session(graph=g)
#### after
from tensorflow.python.client import session
from npu_bridge.npu_init import npu_config_proto
sess = session.Session(graph=g, config=npu_config_proto())
#### monitored training session, config by position
import tensorflow as tf
with tf.train.MonitoredTrainingSession('', True, d, None, hooks, None, 600, 100, None, cfg) as sess:
    pass
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
with tf.train.MonitoredTrainingSession('', True, d, None, hooks, None, 600, 100, None, npu_config_proto(config_proto=cfg)) as sess:
    pass
#### singular monitored session
import tensorflow as tf
with tf.train.SingularMonitoredSession(hooks) as sess:
    pass
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
with tf.train.SingularMonitoredSession(hooks, config=npu_config_proto()) as sess:
    pass
#### monitored session takes it from its creator
import tensorflow as tf
creator = tf.train.ChiefSessionCreator(scaffold=scaffold, config=config)
with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
    pass
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
creator = tf.train.ChiefSessionCreator(scaffold=scaffold, config=npu_config_proto(config_proto=config))
with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
    pass
#### worker session creator
import tensorflow as tf
creator = tf.train.WorkerSessionCreator(master=master)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
creator = tf.train.WorkerSessionCreator(master=master, config=npu_config_proto())
#### supervisor
import tensorflow as tf
sv = tf.train.Supervisor(logdir=logdir)
with sv.managed_session(master, config) as sess:
    pass
sess = sv.prepare_or_wait_for_session()
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
sv = tf.train.Supervisor(logdir=logdir)
with sv.managed_session(master, npu_config_proto(config_proto=config)) as sess:
    pass
sess = sv.prepare_or_wait_for_session(config=npu_config_proto())
#### session manager
import tensorflow as tf
manager = tf.train.SessionManager()
sess = manager.prepare_session(master, init_op=init, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
manager = tf.train.SessionManager()
sess = manager.prepare_session(master, init_op=init, config=npu_config_proto(config_proto=config))
#### slim training loop through an alias
import tensorflow as tf
slim = tf.contrib.slim
slim.learning.train(train_op, logdir, number_of_steps=10)
slim.evaluation.evaluate_once(master, path, logdir, session_config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
slim = tf.contrib.slim
slim.learning.train(train_op, logdir, number_of_steps=10, session_config=npu_config_proto())
slim.evaluation.evaluate_once(master, path, logdir, session_config=npu_config_proto(config_proto=config))
#### contrib training loops
import tensorflow as tf
tf.contrib.training.train(train_op, logdir)
tf.contrib.training.evaluate_repeatedly(folder, hooks=hooks, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
tf.contrib.training.train(train_op, logdir, config=npu_config_proto())
tf.contrib.training.evaluate_repeatedly(folder, hooks=hooks, config=npu_config_proto(config_proto=config))
#### sessions of a test case
import tensorflow as tf

class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.test_session() as sess:
            sess.run(loss)
        with self.session(use_gpu=True):
            loss.eval()
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.test_session(config=npu_config_proto()) as sess:
            sess.run(loss)
        with self.session(use_gpu=True, config=npu_config_proto()):
            loss.eval()
#### a config for the shared session of a test
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.cached_session(config=self.config) as sess:
            sess.run(loss)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.cached_session(config=npu_config_proto(config_proto=self.config)) as sess:
            sess.run(loss)
#### a session given to Keras
import tensorflow as tf
from tensorflow.keras import backend as K
K.set_session(tf.Session(config=config))
#### after
import tensorflow as tf
from tensorflow.keras import backend as K
from npu_bridge.npu_init import npu_config_proto
K.set_session(tf.Session(config=npu_config_proto(config_proto=config)))
#### a config made in another file
import tensorflow as tf
from helper import make_config
with tf.Session(config=make_config()) as sess:
    pass
#### file helper.py
import tensorflow as tf
def make_config():
    return tf.ConfigProto(allow_soft_placement=True)
#### after
import tensorflow as tf
from helper import make_config
from npu_bridge.npu_init import npu_config_proto
with tf.Session(config=npu_config_proto(config_proto=make_config())) as sess:
    pass
#### a partial is wrapped where it is made
import functools
import tensorflow as tf
open_session = functools.partial(tf.Session, config=config)
with open_session(graph=g) as sess:
    pass
#### after
import functools
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
open_session = functools.partial(tf.Session, config=npu_config_proto(config_proto=config))
with open_session(graph=g) as sess:
    pass
#### findings
3 auto
#### a partial without a config
from functools import partial
import tensorflow as tf
open_session = partial(tf.Session, '')
#### after
from functools import partial
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
open_session = partial(tf.Session, '', config=npu_config_proto())
#### a session class calls its base
import tensorflow as tf

class Debug(tf.Session):
    def __init__(self, config):
        super(Debug, self).__init__(config=config)

class Plain(tf.Session):
    def __init__(self):
        tf.Session.__init__(self, '', graph)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

class Debug(tf.Session):
    def __init__(self, config):
        super(Debug, self).__init__(config=npu_config_proto(config_proto=config))

class Plain(tf.Session):
    def __init__(self):
        tf.Session.__init__(self, '', graph, config=npu_config_proto())
#### a session class without a constructor
import tensorflow as tf

class Timed(tf.Session):
    def run(self, *args, **kwargs):
        return super(Timed, self).run(*args, **kwargs)

sess = Timed(config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

class Timed(tf.Session):
    def run(self, *args, **kwargs):
        return super(Timed, self).run(*args, **kwargs)

sess = Timed(config=npu_config_proto(config_proto=config))
#### one function has an entry, the other does not
import tensorflow as tf

def train():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    with tf.Session(config=config) as sess:
        pass

def evaluate():
    config = tf.ConfigProto()
    with tf.Session(config=config) as sess:
        pass
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

def train():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    with tf.Session(config=config) as sess:
        pass

def evaluate():
    config = tf.ConfigProto()
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        pass
#### findings
12 auto
#### somebody else's custom optimizer
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
tf.Session(config=config).run(op)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
tf.Session(config=npu_config_proto(config_proto=config)).run(op)
#### options come from the generated module
import tensorflow as tf
with tf.Session(config=config) as sess:
    pass
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
from npu_options import session_config
with tf.Session(config=session_config(config)) as sess:
    pass
#### options reach a config for the NPU
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
    pass
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
from npu_options import session_config
with tf.Session(config=session_config(npu_config_proto(config_proto=config))) as sess:
    pass
#### the name is taken
import tensorflow as tf
def npu_config_proto():
    pass
sess = tf.Session()
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto as npu_config_proto_2
def npu_config_proto():
    pass
sess = tf.Session(config=npu_config_proto_2())
#### after the docstring, as the vendor's tool does not
"""Train."""
from __future__ import print_function
import tensorflow as tf
sess = tf.Session()
#### after
"""Train."""
from __future__ import print_function
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
sess = tf.Session(config=npu_config_proto())
#### a file that decodes and imports a network
import tensorflow as tf
import network
image = tf.image.decode_jpeg(data)
sess = tf.Session()
#### file network.py
import tensorflow as tf
def build(x):
    return tf.layers.dense(x, 10)
#### after
import tensorflow as tf
import network
from npu_bridge.npu_init import npu_config_proto
image = tf.image.decode_jpeg(data)
sess = tf.Session(config=npu_config_proto())
#### a monitored session that makes its own creator
import tensorflow as tf
from tensorflow.contrib.learn.python.learn import monitored_session as ms
with ms.MonitoredSession() as sess:
    sess.run(step)
with tf.train.MonitoredSession(None, hooks=hooks) as sess:
    sess.run(step)
#### after
import tensorflow as tf
from tensorflow.contrib.learn.python.learn import monitored_session as ms
from npu_bridge.npu_init import npu_config_proto
with ms.MonitoredSession(session_creator=tf.train.ChiefSessionCreator(config=npu_config_proto())) as sess:
    sess.run(step)
with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(config=npu_config_proto()), hooks=hooks) as sess:
    sess.run(step)
#### findings
3 auto
5 auto
