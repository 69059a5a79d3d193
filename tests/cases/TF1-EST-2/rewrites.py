#### all arguments by position, the fifth with another meaning
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.estimator.Estimator(model_fn, d, config, params, 'warm')
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
config = tf.estimator.RunConfig(model_dir=d)
estimator = NPUEstimator(model_fn=model_fn, model_dir=d, config=config, params=params, warm_start_from='warm')
#### findings
3 auto
#### keyword arguments stay as they are
import tensorflow as tf
run_config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.estimator.Estimator(
    model_fn=model_fn,  # ours
    config=run_config,
    params={'a': 1},
)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
run_config = tf.estimator.RunConfig(model_dir=d)
estimator = NPUEstimator(
    model_fn=model_fn,  # ours
    config=run_config,
    params={'a': 1},
)
#### findings
3 auto
#### no config at all
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, 'out')
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
estimator = NPUEstimator(model_fn=model_fn, model_dir='out',
        config=NPURunConfig(
            session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
            save_summary_steps=100,
            save_checkpoints_secs=600))
#### findings
2 auto
#### an empty config on several devices
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, 'out', None)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
estimator = NPUEstimator(model_fn=model_fn, model_dir='out', config=NPURunConfig(
            session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
            save_summary_steps=100,
            save_checkpoints_steps=100))
#### with distributed=horovod
#### findings
2 auto-check
#### no config and options requested
import tensorflow as tf
estimator = tf.estimator.Estimator(
    model_fn=model_fn,
    model_dir='out')
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
from npu_options import run_config_options
estimator = NPUEstimator(
    model_fn=model_fn,
    model_dir='out',
    config=NPURunConfig(
            session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
            save_summary_steps=100,
            save_checkpoints_secs=600,
            **run_config_options()))
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
#### a config already native
import tensorflow as tf
from npu_bridge.npu_init import *
config = NPURunConfig(model_dir=d)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import *
config = NPURunConfig(model_dir=d)
estimator = NPUEstimator(model_fn=model_fn, config=config)
#### findings
4 auto
#### a config made in another file
import tensorflow as tf
import settings
estimator = tf.estimator.Estimator(model_fn, config=settings.run_config(d))
#### after
import tensorflow as tf
import settings
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
estimator = NPUEstimator(model_fn=model_fn, config=settings.run_config(d))
#### file settings.py
import tensorflow as tf
def run_config(folder):
    return tf.estimator.RunConfig(model_dir=folder)
#### findings
3 auto
#### a config passed in from another file
import tensorflow as tf
def build(config=None, params=None):
    return tf.estimator.Estimator(model_fn, config=config, params=params)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
def build(config=None, params=None):
    return NPUEstimator(model_fn=model_fn, config=config, params=params)
#### file train.py
import tensorflow as tf
from main import build
build(tf.estimator.RunConfig(model_dir=d), {})
#### findings
3 auto
#### keyword arguments that cannot be seen beside a config
import tensorflow as tf
estimator = tf.estimator.Estimator(config=tf.estimator.RunConfig(model_dir=d), **rest)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
estimator = NPUEstimator(config=tf.estimator.RunConfig(model_dir=d), **rest)
#### findings
2 auto
#### no folder anywhere
import tensorflow as tf
config = tf.estimator.RunConfig()
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
config = tf.estimator.RunConfig()
estimator = NPUEstimator(model_fn=model_fn, config=config)
#### findings
3 auto-check
#### a config from an unknown place
import tensorflow as tf
def build(config):
    return tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
def build(config):
    return tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=config))
#### findings
3 auto
#### a positional config from an unknown place is not given twice
import tensorflow as tf
from somewhere import config
estimator = tf.estimator.Estimator(model_fn, d, config)
#### after
import tensorflow as tf
from somewhere import config
from npu_bridge.npu_init import npu_run_config_init
estimator = tf.estimator.Estimator(model_fn, d, npu_run_config_init(run_config=config))
#### findings
3 auto
#### a config that may be None
import tensorflow as tf
config = None
if folder:
    config = tf.estimator.RunConfig(model_dir=folder)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
config = None
if folder:
    config = tf.estimator.RunConfig(model_dir=folder)
estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=config))
#### findings
5 auto
#### canned estimators
import tensorflow as tf
first = tf.estimator.DNNClassifier([8], columns, config=config)
second = tf.estimator.LinearRegressor(columns, d)
third = tf.estimator.BoostedTreesClassifier(
    columns,
    10,
    config=None)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
first = tf.estimator.DNNClassifier([8], columns, config=npu_run_config_init(run_config=config))
second = tf.estimator.LinearRegressor(columns, d, config=npu_run_config_init())
third = tf.estimator.BoostedTreesClassifier(
    columns,
    10,
    config=npu_run_config_init())
#### findings
2 auto
3 auto
4 auto
#### a canned estimator and options requested
import tensorflow as tf
first = tf.estimator.DNNClassifier([8], columns)
second = tf.estimator.DNNClassifier([8], columns, config=load())
third = tf.estimator.DNNClassifier([8], columns, config=tf.estimator.RunConfig())
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
from npu_options import session_config
first = tf.estimator.DNNClassifier([8], columns,
        config=tf.estimator.RunConfig(session_config=session_config()))
second = tf.estimator.DNNClassifier([8], columns, config=npu_run_config_init(run_config=load()))
third = tf.estimator.DNNClassifier([8], columns, config=tf.estimator.RunConfig())
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
3 auto-check
#### a subclass with a constructor
import tensorflow as tf


class Mine(tf.estimator.Estimator):
    def __init__(self, config=None):
        super(Mine, self).__init__(model_fn, None, config)


class Old(tf.estimator.Estimator):
    def __init__(self):
        tf.estimator.Estimator.__init__(self, model_fn)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init


class Mine(tf.estimator.Estimator):
    def __init__(self, config=None):
        super(Mine, self).__init__(model_fn, None, npu_run_config_init(run_config=config))


class Old(tf.estimator.Estimator):
    def __init__(self):
        tf.estimator.Estimator.__init__(self, model_fn, config=npu_run_config_init())
#### findings
6 auto
11 auto
#### a subclass without a constructor
import tensorflow as tf


class Mine(tf.estimator.Estimator):
    pass


estimator = Mine(model_fn, 'out')
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init


class Mine(tf.estimator.Estimator):
    pass


estimator = Mine(model_fn, 'out', config=npu_run_config_init())
#### findings
8 auto
#### an alias of the class
import tensorflow as tf
Base = tf.estimator.Estimator
estimator = Base(model_fn, config=tf.estimator.RunConfig(model_dir=d))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
Base = tf.estimator.Estimator
estimator = NPUEstimator(model_fn=model_fn, config=tf.estimator.RunConfig(model_dir=d))
#### findings
3 auto
#### it shares its config with a canned one
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
first = tf.estimator.Estimator(model_fn, config=config)
second = tf.estimator.LinearRegressor(columns, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
config = tf.estimator.RunConfig(model_dir=d)
first = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=config))
second = tf.estimator.LinearRegressor(columns, config=npu_run_config_init(run_config=config))
#### findings
3 auto
4 auto
