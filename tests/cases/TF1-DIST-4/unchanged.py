#### one device
import tensorflow as tf
tf.train.AdamOptimizer(0.1).minimize(loss)
#### Horovod's own family does it
import tensorflow as tf
tf.train.AdamOptimizer(0.1).minimize(loss)
#### with distributed=horovod
#### a function whose name contains Optimizer
import tensorflow as tf
def getOptimizer(lr): return lr
def create_Optimizer(x): return None
getOptimizer(0.1)
create_Optimizer(3)
#### with distributed=tf_strategy
#### another library's optimizer
import tensorflow as tf
from bayes_opt import BayesianOptimizer
BayesianOptimizer(f)
#### with distributed=tf_strategy
#### a class of the user's that only shares the name
import tensorflow as tf
class AdamOptimizer(object):
    def minimize(self, x): pass
AdamOptimizer().minimize(3)
#### with distributed=tf_strategy
#### wrapped in place
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1))
opt.minimize(loss)
#### with distributed=tf_strategy
#### wrapped on the next line, by hand
import tensorflow as tf
from npu_bridge.estimator.npu.npu_optimizer import NPUDistributedOptimizer
opt = tf.train.AdamOptimizer(0.1)
opt = NPUDistributedOptimizer(opt)
opt.minimize(loss)
#### with distributed=tf_strategy
#### wrapped by the vendor's tool
from npu_bridge.npu_init import *
import tensorflow as tf
opt = npu_tf_optimizer(tf.train.AdamOptimizer(0.1))
opt.minimize(loss)
#### with distributed=tf_strategy
#### wrapped by a function of another file
import tensorflow as tf
from helper import distribute
opt = tf.train.AdamOptimizer(0.1)
opt = distribute(opt)
opt.minimize(loss)
#### file helper.py
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def distribute(optimizer):
    return npu_distributed_optimizer_wrapper(optimizer)
#### with distributed=tf_strategy
#### gradients from elsewhere: the optimizer only applies them
import tensorflow as tf
opt = tf.train.AdamOptimizer(0.1)
grads = tf.gradients(loss, tvars)
op = opt.apply_gradients(zip(grads, tvars))
#### with distributed=tf_strategy
#### the inner workings of an optimizer class
import tensorflow as tf
class Ours(tf.train.Optimizer):
    def __init__(self):
        super(Ours, self).__init__(False, 'ours')
        self._opt = tf.train.AdamOptimizer(0.1)
#### with distributed=tf_strategy
#### the class itself, not made
import tensorflow as tf
OPTIMIZERS = {'adam': tf.train.AdamOptimizer}
#### with distributed=tf_strategy
#### an optimizer from a table
import tensorflow as tf
opt = OPTIMIZERS[name](0.1)
opt.minimize(loss)
#### with distributed=tf_strategy
#### findings
3 possible
#### minimize of another library
import tensorflow as tf
from scipy import optimize
optimize.minimize(f, x0)
#### with distributed=tf_strategy
#### an optimizer that has another one compute its gradients
import tensorflow as tf


class Conditional(tf.train.Optimizer):
    def __init__(self, inner):
        super(Conditional, self).__init__(False, "conditional")
        self._opt = inner

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._opt.compute_gradients(loss, var_list, **kwargs)


op = Conditional(registry.optimizer(name)).minimize(loss)
#### with distributed=tf_strategy
#### findings
10 possible
#### test cases train nothing
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_step(self):
        op = tf.train.AdamOptimizer(0.001).minimize(loss)
#### with distributed=tf_strategy
#### gradients of tf.gradients, through a wrapper for TPUs
import tensorflow as tf
def train(loss, tvars):
    optimizer = tf.train.AdamOptimizer(0.1)
    if use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    grads = tf.gradients(loss, tvars)
    return optimizer.apply_gradients(zip(grads, tvars))
#### with distributed=tf_strategy
#### something unknown that only computes gradients
import tensorflow as tf


def build(loss, optimizer_class, rate):
    optimizer = optimizer_class(rate)
    return optimizer.compute_gradients(loss)
#### with distributed=tf_strategy
#### findings
6 possible
#### an optimizer that is wrapped already, of a class that is chosen by name
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper


def build(loss, optimizer_class, rate):
    optimizer = npu_distributed_optimizer_wrapper(optimizer_class(rate))
    return optimizer.apply_gradients(optimizer.compute_gradients(loss))
#### with distributed=tf_strategy
#### a class of the project that gathers gradients
import tensorflow as tf


class Gathering(object):
    def compute_gradients(self, loss):
        return self.inner.compute_gradients(loss)

    def apply_gradients(self, gradients):
        return self.inner.apply_gradients(gradients)


def build(loss):
    optimizer = Gathering()
    return optimizer.apply_gradients(optimizer.compute_gradients(loss))
#### with distributed=tf_strategy
#### findings
6 possible
#### two optimizers of one name
import tensorflow as tf


def build(loss, first, second, some):
    if some:
        optimizer = first(0.1)
    else:
        optimizer = second(0.1)
    return optimizer.apply_gradients(optimizer.compute_gradients(loss))
#### with distributed=tf_strategy
#### findings
9 possible
