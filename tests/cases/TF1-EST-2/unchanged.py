#### already native
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=model_fn, config=NPURunConfig(model_dir=d))
#### already light
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=config))
classifier = tf.estimator.DNNClassifier([8], columns, config=npu_run_config_init())
#### a config wrapped before
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
config = npu_run_config_init(run_config=tf.estimator.RunConfig(model_dir=d))
estimator = tf.estimator.Estimator(model_fn, config=config)
#### a session for the NPU in the config
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.estimator.RunConfig(session_config=npu_config_proto())
estimator = tf.estimator.Estimator(model_fn, config=config)
#### sklearn's estimators
from sklearn.estimator import Estimator
estimator = Estimator(model_fn, config)
#### a class of the user's with the same name
class Estimator(object):
    def __init__(self, model_fn, config=None):
        self.config = config
Estimator(model_fn)
#### a method named like the class
class Factory(object):
    def Estimator(self, model_fn):
        return model_fn
Factory().Estimator(model_fn)
#### mentioned, not called
import tensorflow as tf
def check(estimator):
    return isinstance(estimator, tf.estimator.Estimator)
#### only the spec is used
import tensorflow as tf
def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=loss)
#### a config that cannot be seen
import tensorflow as tf
estimator = tf.estimator.Estimator(*arguments)
other = tf.estimator.DNNClassifier(hidden_units=[8], **options)
#### findings
2 manual
3 manual
#### a partial call may carry the config
import functools
import tensorflow as tf
make = functools.partial(tf.estimator.Estimator, config=config)
estimator = make(model_fn)
#### long deprecated
import tensorflow as tf
estimator = tf.contrib.learn.Estimator(model_fn, d)
#### findings
2 manual
#### a config that gets its session where it is made
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
tf.estimator.DNNClassifier([8], columns, config=config)
#### with npu.precision_mode=allow_mix_precision
