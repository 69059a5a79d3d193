#### after the initialiser
import tensorflow as tf


def main():
    op = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())  # all of them
        sess.run(op)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def main():
    op = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())  # all of them
        if int(os.getenv("RANK_SIZE", "1")) > 1:
            sess.run(npu_broadcast(tf.global_variables(), 0))
        sess.run(op)
#### findings
7 auto-check
#### through a variable, in a list
import os
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
sess = tf.Session()
sess.run([init, extra])
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
op = tf.train.AdamOptimizer().minimize(loss)
init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
sess = tf.Session()
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


sess.run([init, extra])
if int(os.getenv("RANK_SIZE", "1")) > 1:
    sess.run(npu_broadcast(tf.global_variables(), 0))
#### a monitored session
import tensorflow as tf
hooks = [tf.train.StopAtStepHook(9)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=hooks) as sess:
    pass
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
hooks = [tf.train.StopAtStepHook(9)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=npu_hooks_append(hooks_list=list(hooks or []))) as sess:
    pass
#### findings
3 auto
#### a monitored session without hooks, and with hooks by position
import tensorflow as tf
a = tf.train.MonitoredTrainingSession()
b = tf.train.MonitoredTrainingSession('', True, d, None, [x])
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
a = tf.train.MonitoredTrainingSession(hooks=npu_hooks_append(hooks_list=[]))
b = tf.train.MonitoredTrainingSession('', True, d, None, npu_hooks_append(hooks_list=[x]))
#### the training step is made in another file
import os
import tensorflow as tf
import steps


def main():
    op = steps.get(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(op)
#### file steps.py
import tensorflow as tf


def get(loss):
    opt = tf.train.AdamOptimizer()
    return opt.apply_gradients(opt.compute_gradients(loss))
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
import steps
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def main():
    op = steps.get(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        if int(os.getenv("RANK_SIZE", "1")) > 1:
            sess.run(npu_broadcast(tf.global_variables(), 0))
        sess.run(op)
#### the initialiser runs itself, in the default session
import os
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    sess.run(op)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
op = tf.train.AdamOptimizer().minimize(loss)
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


with tf.Session() as sess:
    tf.global_variables_initializer().run()
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        tf.get_default_session().run(npu_broadcast(tf.global_variables(), 0))
    sess.run(op)
#### findings
5 auto-check
#### the initialiser runs itself, in a session it is given
import os
import tensorflow as tf
op = tf.train.AdamOptimizer().minimize(loss)
init = tf.global_variables_initializer()
init.run(session=sess)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
op = tf.train.AdamOptimizer().minimize(loss)
init = tf.global_variables_initializer()
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


init.run(session=sess)
if int(os.getenv("RANK_SIZE", "1")) > 1:
    sess.run(npu_broadcast(tf.global_variables(), 0))
#### a session that comes as a parameter
import os
import tensorflow as tf
def train(sess, loss):
    op = tf.train.AdamOptimizer().minimize(loss)
    sess.run(tf.global_variables_initializer())
    sess.run(op)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def train(sess, loss):
    op = tf.train.AdamOptimizer().minimize(loss)
    sess.run(tf.global_variables_initializer())
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        sess.run(npu_broadcast(tf.global_variables(), 0))
    sess.run(op)
#### findings
5 auto-check
#### sessions that slim and a supervisor make
import os
import tensorflow as tf
slim = tf.contrib.slim
slim.learning.train(op, logdir)
sv = tf.train.Supervisor(logdir='a', init_fn=restore)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
slim = tf.contrib.slim
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def npu_broadcast_first(init_fn, graph=None):
    """Return an init_fn that also gives every rank the float variables of rank 0."""
    if int(os.getenv("RANK_SIZE", "1")) < 2:
        return init_fn
    with (graph or tf.get_default_graph()).as_default():
        shared = npu_broadcast(tf.global_variables(), 0)

    def initialise(session):
        if init_fn is not None:
            init_fn(session)
        session.run(shared)

    return initialise


slim.learning.train(op, logdir, init_fn=npu_broadcast_first(None))
sv = tf.train.Supervisor(logdir='a', init_fn=npu_broadcast_first(restore))
#### findings
4 auto
5 auto
#### other monitored sessions, by the names of their module
import tensorflow as tf
from tensorflow.python.training import monitored_session as ms
train_op = tf.train.AdamOptimizer().minimize(loss)
with ms.MonitoredSession() as sess:
    sess.run(train_op)
with tf.train.SingularMonitoredSession(hooks=[stop]) as sess:
    sess.run(train_op)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from tensorflow.python.training import monitored_session as ms
from npu_bridge.npu_init import npu_hooks_append
train_op = tf.train.AdamOptimizer().minimize(loss)
with ms.MonitoredSession(hooks=npu_hooks_append(hooks_list=[])) as sess:
    sess.run(train_op)
with tf.train.SingularMonitoredSession(hooks=npu_hooks_append(hooks_list=[stop])) as sess:
    sess.run(train_op)
#### an attribute that a trainer runs, whose subclass in another file runs the step
import os
import tensorflow as tf


class BaseTrain:
    def __init__(self, sess):
        self.sess = sess
        self.init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        self.sess.run(self.init)

    def train(self):
        for _ in range(9):
            self.train_epoch()
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


class BaseTrain:
    def __init__(self, sess):
        self.sess = sess
        self.init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        self.sess.run(self.init)
        if int(os.getenv("RANK_SIZE", "1")) > 1:
            self.sess.run(npu_broadcast(tf.global_variables(), 0))

    def train(self):
        for _ in range(9):
            self.train_epoch()
#### a loop that runs the step of a model of another file
import os
import tensorflow as tf
from net import Net


def fit():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    session.run(model.step, {model.x: 1})


model = Net()
fit()
#### file net.py
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [])
        self.build()

    def build(self):
        self.step = tf.train.AdamOptimizer().minimize(self.x)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from net import Net
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def fit():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        session.run(npu_broadcast(tf.global_variables(), 0))
    session.run(model.step, {model.x: 1})


model = Net()
fit()
#### findings
8 auto-check
#### an initialiser in a dictionary that a function of another file returns
import tensorflow as tf
from net import build


def train(spec):
    step = spec['train_op']
    with tf.Session() as sess:
        sess.run(spec['init'])
        sess.run(step)


train(build())
#### file net.py
import tensorflow as tf


def build():
    loss = tf.get_variable('w', [])
    spec = {'train_op': tf.train.AdamOptimizer().minimize(loss)}
    spec['init'] = tf.group(*[tf.global_variables_initializer(), tf.tables_initializer()])
    return spec
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from net import build
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def train(spec):
    step = spec['train_op']
    with tf.Session() as sess:
        sess.run(spec['init'])
        if int(os.getenv("RANK_SIZE", "1")) > 1:
            sess.run(npu_broadcast(tf.global_variables(), 0))
        sess.run(step)


train(build())
#### findings
8 auto-check
#### a supervisor of another graph than the default one
import tensorflow as tf
def train():
    with tf.Graph().as_default() as graph:
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(build())
    sv = tf.train.Supervisor(graph, logdir='out')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def npu_broadcast_first(init_fn, graph=None):
    """Return an init_fn that also gives every rank the float variables of rank 0."""
    if int(os.getenv("RANK_SIZE", "1")) < 2:
        return init_fn
    with (graph or tf.get_default_graph()).as_default():
        shared = npu_broadcast(tf.global_variables(), 0)

    def initialise(session):
        if init_fn is not None:
            init_fn(session)
        session.run(shared)

    return initialise


def train():
    with tf.Graph().as_default() as graph:
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(build())
    sv = tf.train.Supervisor(graph, logdir='out', init_fn=npu_broadcast_first(None, graph))
#### findings
5 auto
#### a session that a function gets from one that trains
import tensorflow as tf


def create_or_load(model, session, folder):
    if tf.train.latest_checkpoint(folder):
        model.saver.restore(session, tf.train.latest_checkpoint(folder))
    else:
        session.run(tf.global_variables_initializer())
    return model
#### file train.py
import tensorflow as tf
from main import create_or_load


def train(model, folder):
    update = tf.train.AdamOptimizer().minimize(model.loss)
    session = tf.Session()
    create_or_load(model, session, folder)
    session.run(update)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.hccl import hccl_ops


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def create_or_load(model, session, folder):
    if tf.train.latest_checkpoint(folder):
        model.saver.restore(session, tf.train.latest_checkpoint(folder))
    else:
        session.run(tf.global_variables_initializer())
        if int(os.getenv("RANK_SIZE", "1")) > 1:
            session.run(npu_broadcast(tf.global_variables(), 0))
    return model
#### findings
8 auto-check
