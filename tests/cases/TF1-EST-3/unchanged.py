#### summaries and several iterations a run, by option
import tensorflow as tf
def model_fn(features, labels, mode):
    tf.summary.scalar('loss', loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### with npu.iterations_per_loop=100
#### findings
3 manual
#### summaries and several iterations a run, in the file
import tensorflow as tf
from npu_bridge.npu_init import NPURunConfig
def model_fn(features, labels, mode):
    tf.summary.scalar('loss', loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
config = NPURunConfig(iterations_per_loop=10)
#### findings
4 manual
#### a host_call of the wrong length
from npu_bridge.npu_init import *
def write(step, loss):
    pass
NPUEstimatorSpec(mode, host_call=(write, [step]))
NPUEstimatorSpec(mode, host_call=(lambda a, b, c: a, [step, loss]))
NPUEstimatorSpec(mode, host_call=(write,))
#### findings
4 manual
5 manual
6 manual
#### replacing fields loses the host_call
from npu_bridge.npu_init import *
spec = NPUEstimatorSpec(mode, host_call=(write, [step]))
spec = spec._replace(loss=loss)
#### findings
3 manual
#### a host_call that fits
from npu_bridge.npu_init import *
def write(step, loss):
    pass
NPUEstimatorSpec(mode, host_call=(write, [step, loss]))
#### a host_call with a function nobody sees
from npu_bridge.npu_init import *
NPUEstimatorSpec(mode, host_call=(write, [step, loss]))
#### a host_call with defaults
from npu_bridge.npu_init import *
def write(step, loss=None):
    pass
NPUEstimatorSpec(mode, host_call=(write, [step]))
#### summaries and one iteration a run
import tensorflow as tf
def model_fn(features, labels, mode):
    tf.summary.scalar('loss', loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### summaries outside the model function
import tensorflow as tf
def report():
    tf.summary.scalar('loss', loss)
def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### with npu.iterations_per_loop=100
#### a spec that does not train
import tensorflow as tf
def model_fn(features, labels, mode):
    tf.summary.scalar('loss', loss)
    return tf.estimator.EstimatorSpec(mode, predictions=p)
#### with npu.iterations_per_loop=100
#### the fields of another tuple
import collections
Spec = collections.namedtuple('Spec', 'loss')
Spec(1)._replace(loss=2)
