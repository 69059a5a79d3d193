#### already native
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
config = NPURunConfig(model_dir=d)
estimator = NPUEstimator(model_fn=f, config=config)
#### already light, wrapped where it is consumed
import tensorflow as tf
from npu_bridge.npu_init import *
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=config))
#### already light, wrapped where it is made
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
def run_config():
    return npu_run_config_init(run_config=tf.estimator.RunConfig(model_dir=d))
#### already given a session for the NPU
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.estimator.RunConfig(model_dir=d, session_config=npu_config_proto())
estimator = tf.estimator.Estimator(model_fn, config=config)
#### somebody else's RunConfig
import ray.air as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### a class of the user's with the same name
import tensorflow as tf
class RunConfig(object):
    pass
estimator = tf.estimator.Estimator(model_fn, config=RunConfig())
#### a canned estimator gets it
import tensorflow as tf
config = tf.estimator.RunConfig('out', 1, 100)
classifier = tf.estimator.DNNClassifier([8], columns, config=config)
#### two estimators share it and one is canned
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
first = tf.estimator.Estimator(model_fn, config=config)
second = tf.estimator.LinearRegressor(columns, config=config)
#### it shares a native candidate with a config that cannot be native
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d) if simple else tf.estimator.RunConfig(**options)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### a subclass of Estimator gets it
import tensorflow as tf
class Mine(tf.estimator.Estimator):
    def __init__(self, config):
        super(Mine, self).__init__(model_fn, config=config)
Mine(tf.estimator.RunConfig(model_dir=d))
#### a subclass without a constructor gets it
import tensorflow as tf
class Mine(tf.estimator.Estimator):
    pass
Mine(model_fn, config=tf.estimator.RunConfig(model_dir=d))
#### a TPUEstimator may get it
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
if use_tpu:
    estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=8)
else:
    estimator = tf.estimator.Estimator(model_fn, config=config)
#### arguments that cannot be seen
import tensorflow as tf
config = tf.estimator.RunConfig(**options)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### a partial call carries arguments of its own
import functools
import tensorflow as tf
make = functools.partial(tf.estimator.RunConfig, device_fn=place)
estimator = tf.estimator.Estimator(model_fn, config=make())
#### only its fields are read
import tensorflow as tf
print(tf.estimator.RunConfig().cluster_spec)
is_chief = tf.estimator.RunConfig().is_chief
#### the estimator is rebuilt as a plain one
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(model_dir=d))
estimator = tf.contrib.estimator.add_metrics(estimator, my_metrics)
#### the estimator of another file is canned
import tensorflow as tf
from helper import build
config = tf.estimator.RunConfig(model_dir=d)
estimator = build(config)
#### file helper.py
import tensorflow as tf
def build(config):
    return tf.estimator.DNNClassifier([8], columns, config=config)
#### another file passes something unknown to the same estimator
import tensorflow as tf
from helper import build
config = tf.estimator.RunConfig(model_dir=d)
estimator = build(config)
#### file helper.py
import tensorflow as tf
def build(config):
    return tf.estimator.Estimator(model_fn, config=config)
#### file other.py
from helper import build
from somewhere import load_config
build(load_config())
#### mentioned, not called
import tensorflow as tf
def check(config):
    assert isinstance(config, tf.estimator.RunConfig)
#### a strategy of None in a run config that stays
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, train_distribute=None)
tf.estimator.DNNClassifier([8], columns, config=config)
#### a session config that replace brings is wrapped with the config later
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d).replace(session_config=c)
tf.estimator.DNNClassifier([8], columns, config=config)
