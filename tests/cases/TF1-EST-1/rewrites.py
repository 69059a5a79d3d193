#### TensorFlow's defaults are written out
import tensorflow as tf

config = tf.estimator.RunConfig(model_dir=out)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig

config = NPURunConfig(model_dir=out,
        session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
        save_summary_steps=100,
        save_checkpoints_secs=600)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### findings
3 auto
#### positional arguments become keywords
import tensorflow as tf

config = tf.estimator.RunConfig('out', 1, 100, 500, None, tf.ConfigProto())  # all by position
estimator = tf.estimator.Estimator(model_fn=model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig

config = NPURunConfig(model_dir='out', tf_random_seed=1, save_summary_steps=100, save_checkpoints_steps=500, save_checkpoints_secs=None, session_config=tf.ConfigProto())  # all by position
estimator = tf.estimator.Estimator(model_fn=model_fn, config=config)
#### findings
3 auto
#### arguments without a counterpart go, one note each
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
config = tf.estimator.RunConfig(
    train_distribute=strategy,
    save_summary_steps=10,
    save_checkpoints_steps=500,
    session_config=sess_config,
    device_fn=place,  # ours
    protocol=None)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
strategy = tf.distribute.MirroredStrategy()
# ours
config = NPURunConfig(
    save_summary_steps=10,
    save_checkpoints_steps=500,
    session_config=sess_config)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### findings
3 auto-check
#### the only argument goes
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(train_distribute=s))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
estimator = tf.estimator.Estimator(model_fn, config=NPURunConfig(session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
        save_summary_steps=100,
        save_checkpoints_secs=600))
#### findings
2 auto-check
#### saving by one rank keeps the others silent
import tensorflow as tf
import horovod.tensorflow as hvd
config = tf.estimator.RunConfig(
    session_config=c, save_summary_steps=1,
    save_checkpoints_steps=500 if hvd.rank() == 0 else None)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(
    session_config=c, save_summary_steps=1,
    save_checkpoints_steps=500 if hvd.rank() == 0 else 0)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### with distributed=horovod
#### findings
3 auto
#### a variable that may be None
import tensorflow as tf
steps = None
if save:
    steps = 100
config = tf.estimator.RunConfig(save_checkpoints_steps=steps, save_summary_steps=5, session_config=c)
tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
steps = None
if save:
    steps = 100
config = NPURunConfig(save_checkpoints_steps=steps or 0, save_summary_steps=5, session_config=c)
tf.estimator.Estimator(model_fn, config=config)
#### findings
5 auto
#### saving switched off stays off
import tensorflow as tf
config = tf.estimator.RunConfig(None, None, 5, None, None, c)
tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(model_dir=None, tf_random_seed=None, save_summary_steps=5, save_checkpoints_steps=0, save_checkpoints_secs=None, session_config=c)
tf.estimator.Estimator(model_fn, config=config)
#### findings
2 auto
#### the setting in seconds decides when the other is None
import tensorflow as tf
config = tf.estimator.RunConfig(
    save_checkpoints_steps=None, save_checkpoints_secs=30, save_summary_steps=5, session_config=c)
tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(
    save_checkpoints_steps=None, save_checkpoints_secs=30, save_summary_steps=5, session_config=c)
tf.estimator.Estimator(model_fn, config=config)
#### findings
2 auto
#### several devices save by steps
import tensorflow.compat.v1 as tf1
config = tf1.estimator.RunConfig()
estimator = tf1.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow.compat.v1 as tf1
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(
        session_config=tf1.ConfigProto(allow_soft_placement=True, log_device_placement=False),
        save_summary_steps=100,
        save_checkpoints_steps=100)
estimator = tf1.estimator.Estimator(model_fn, config=config)
#### with distributed=tf_strategy
#### findings
2 auto-check
#### options requested
import tensorflow as tf
config = tf.estimator.RunConfig(session_config=None, save_summary_steps=1, save_checkpoints_secs=5)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_options import run_config_options
config = NPURunConfig(save_summary_steps=1, save_checkpoints_secs=5,
        session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
        **run_config_options())
estimator = tf.estimator.Estimator(model_fn, config=config)
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
#### parameter servers
import tensorflow as tf
strategy = tf.distribute.experimental.ParameterServerStrategy()
config = tf.estimator.RunConfig(train_distribute=strategy, save_summary_steps=5, session_config=c,
                                save_checkpoints_steps=9)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
strategy = tf.distribute.experimental.ParameterServerStrategy()
config = NPURunConfig(save_summary_steps=5, session_config=c,
                                save_checkpoints_steps=9,
                                distribute=strategy,
                                mix_compile_mode=True)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### findings
3 auto-check
#### through replace and a function
import tensorflow as tf


def get_config(train):
    config = tf.estimator.RunConfig(save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
    if train:
        config = config.replace(keep_checkpoint_max=1)
    return config


estimator = tf.estimator.Estimator(model_fn, config=get_config(True))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig


def get_config(train):
    config = NPURunConfig(save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
    if train:
        config = config.replace(keep_checkpoint_max=1)
    return config


estimator = tf.estimator.Estimator(model_fn, config=get_config(True))
#### findings
5 auto
#### an estimator in another file
import tensorflow as tf
from helper import build

config = tf.estimator.RunConfig(save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
estimator = build(config)
#### after
import tensorflow as tf
from helper import build
from npu_bridge.estimator.npu.npu_config import NPURunConfig

config = NPURunConfig(save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
estimator = build(config)
#### file helper.py
import tensorflow as tf


def build(config, params=None):
    return tf.estimator.Estimator(model_fn, config=config, params=params)
#### findings
4 auto
#### an attribute of an object
import tensorflow as tf


class Runner(object):
    def __init__(self):
        self.config = tf.estimator.RunConfig(
            save_summary_steps=5, session_config=c, save_checkpoints_steps=9)

    def estimator(self):
        return tf.estimator.Estimator(model_fn, config=self.config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig


class Runner(object):
    def __init__(self):
        self.config = NPURunConfig(
            save_summary_steps=5, session_config=c, save_checkpoints_steps=9)

    def estimator(self):
        return tf.estimator.Estimator(model_fn, config=self.config)
#### findings
6 auto
#### one branch of two
import tensorflow as tf
config = tf.estimator.RunConfig(
    model_dir=d, save_summary_steps=5, session_config=c, save_checkpoints_steps=9
) if first else tf.estimator.RunConfig(
    save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(
    model_dir=d, save_summary_steps=5, session_config=c, save_checkpoints_steps=9
) if first else NPURunConfig(
    save_summary_steps=5, session_config=c, save_checkpoints_steps=9)
estimator = tf.estimator.Estimator(model_fn, config=config)
#### findings
2 auto
4 auto
#### imported by name
from tensorflow.estimator import RunConfig, Estimator
estimator = Estimator(model_fn, config=RunConfig(save_summary_steps=5, save_checkpoints_steps=9))
#### after
from tensorflow.estimator import RunConfig, Estimator
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from tensorflow import ConfigProto
estimator = Estimator(model_fn, config=NPURunConfig(save_summary_steps=5, save_checkpoints_steps=9,
        session_config=ConfigProto(allow_soft_placement=True, log_device_placement=False)))
#### findings
2 auto
#### the other estimator is already native
import tensorflow as tf
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=f, config=tf.estimator.RunConfig(
    save_summary_steps=5, session_config=c, save_checkpoints_steps=9))
#### after
import tensorflow as tf
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=f, config=NPURunConfig(
    save_summary_steps=5, session_config=c, save_checkpoints_steps=9))
#### findings
3 auto
#### a foreign library builds the estimator
import tensorflow as tf
from tensor2tensor.utils import trainer_lib
config = tf.estimator.RunConfig(model_dir=d)  # for t2t
trainer_lib.create_estimator('transformer', hparams, config)
#### after
import tensorflow as tf
from tensor2tensor.utils import trainer_lib
from npu_bridge.npu_init import npu_run_config_init
config = npu_run_config_init(run_config=tf.estimator.RunConfig(model_dir=d))  # for t2t
trainer_lib.create_estimator('transformer', hparams, config)
#### findings
3 auto-check
#### returned to callers nobody sees
import tensorflow as tf
def run_config():
    return tf.estimator.RunConfig(model_dir=d)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
def run_config():
    return npu_run_config_init(run_config=tf.estimator.RunConfig(model_dir=d))
#### findings
3 auto-check
#### a strategy goes in light style too
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, train_distribute=tf.distribute.MirroredStrategy())
tf.estimator.DNNClassifier([8], columns, config=config)
#### after
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
tf.estimator.DNNClassifier([8], columns, config=config)
#### findings
2 auto-check
#### a strategy in replace
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
config = config.replace(train_distribute=strategy, keep_checkpoint_max=2)
tf.estimator.DNNClassifier([8], columns, config=config)
#### after
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
config = config.replace(keep_checkpoint_max=2)
tf.estimator.DNNClassifier([8], columns, config=config)
#### findings
3 auto-check
#### options reach a run config that stays
import tensorflow as tf
config = tf.estimator.RunConfig(d, session_config=c)
tf.estimator.DNNClassifier([8], columns, config=config)
#### after
import tensorflow as tf
from npu_options import session_config
config = tf.estimator.RunConfig(d, session_config=session_config(c))
tf.estimator.DNNClassifier([8], columns, config=config)
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
#### a session config that replace brings needs the options too
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d).replace(session_config=c, keep_checkpoint_max=1)
tf.estimator.DNNClassifier([8], columns, config=config)
#### after
import tensorflow as tf
from npu_options import session_config
config = tf.estimator.RunConfig(model_dir=d).replace(session_config=session_config(c), keep_checkpoint_max=1)
tf.estimator.DNNClassifier([8], columns, config=config)
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
#### a session config that replace brings to a foreign library
import tensorflow as tf
from foreign import build
config = tf.estimator.RunConfig(model_dir=d)
config = config.replace(session_config=c)
build(config)
#### after
import tensorflow as tf
from foreign import build
from npu_bridge.npu_init import npu_config_proto, npu_run_config_init
config = npu_run_config_init(run_config=tf.estimator.RunConfig(model_dir=d))
config = config.replace(session_config=npu_config_proto(config_proto=c))
build(config)
#### findings
3 auto-check
4 auto
#### TensorFlow is imported in the function
def main():
    import tensorflow as tf
    config = tf.estimator.RunConfig(save_summary_steps=10, save_checkpoints_steps=9)
    return tf.estimator.Estimator(model_fn, config=config)
#### after
from npu_bridge.estimator.npu.npu_config import NPURunConfig
def main():
    import tensorflow as tf
    config = NPURunConfig(save_summary_steps=10, save_checkpoints_steps=9,
            session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    return tf.estimator.Estimator(model_fn, config=config)
