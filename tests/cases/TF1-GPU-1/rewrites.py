#### an option that is set
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True  # do not take it all
sess = tf.Session(config=config)
#### after
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
# do not take it all
sess = tf.Session(config=config)
#### findings
3 auto
#### several options, the only statements of an if
import tensorflow as tf

def make(args):
    config = tf.ConfigProto()
    if args.grow:
        # not all at once
        config.gpu_options.allow_growth = True
        config.gpu_options.per_process_gpu_memory_fraction = 0.8
    return config
#### after
import tensorflow as tf

def make(args):
    config = tf.ConfigProto()
    # not all at once
    return config
#### findings
7 auto
8 auto
#### one branch of two keeps a pass
import tensorflow as tf

config = tf.ConfigProto()
if grow:
    config.gpu_options.allow_growth = True
else:
    config.inter_op_parallelism_threads = 1
#### after
import tensorflow as tf

config = tf.ConfigProto()
if grow:
    pass
else:
    config.inter_op_parallelism_threads = 1
#### a device somebody picked is reported
import tensorflow as tf
config = tf.ConfigProto()
config.gpu_options.visible_device_list = '2'
#### after
import tensorflow as tf
config = tf.ConfigProto()
#### findings
3 auto-check
#### the argument of the config
import tensorflow as tf
config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True), allow_soft_placement=True)
#### after
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
#### findings
2 auto
#### the last argument, over several lines with comments
import tensorflow as tf
sess = tf.Session(config=tf.ConfigProto(
    allow_soft_placement=True,  # always
    # half of the memory
    gpu_options=tf.GPUOptions(
        per_process_gpu_memory_fraction=0.5)))
#### after
import tensorflow as tf
sess = tf.Session(config=tf.ConfigProto(
    allow_soft_placement=True,  # always
    # half of the memory
    ))
#### the first argument behind the parenthesis
import tensorflow as tf
config = tf.ConfigProto(gpu_options=options,
                        allow_soft_placement=True)
#### after
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
#### an argument on a line of its own
import tensorflow as tf
config = tf.ConfigProto(
    gpu_options=options,
    allow_soft_placement=True,
)
#### after
import tensorflow as tf
config = tf.ConfigProto(
    allow_soft_placement=True,
)
#### a variable for the options goes with its uses
import tensorflow as tf

def session():
    gpu_options = tf.GPUOptions(allow_growth=True)
    gpu_options.force_gpu_compatible = True
    return tf.Session(config=tf.ConfigProto(gpu_options=gpu_options))
#### after
import tensorflow as tf

def session():
    return tf.Session(config=tf.ConfigProto())
#### findings
4 auto
5 auto
6 auto
#### the config of a run config, by private path and attribute
from tensorflow.core.protobuf import config_pb2
import tensorflow as tf

class Trainer(object):
    def __init__(self):
        self.config = config_pb2.ConfigProto()
        self.config.gpu_options.allow_growth = True
        self.run = tf.estimator.RunConfig(session_config=self.config)
#### after
from tensorflow.core.protobuf import config_pb2
import tensorflow as tf

class Trainer(object):
    def __init__(self):
        self.config = config_pb2.ConfigProto()
        self.run = tf.estimator.RunConfig(session_config=self.config)
#### two statements on a line
import tensorflow as tf
config = tf.ConfigProto(); config.gpu_options.allow_growth = True; print(config)
#### after
import tensorflow as tf
config = tf.ConfigProto(); print(config)
#### a rank read from a wrapper
import tensorflow as tf
from utils import hvd_wrapper as hvd
config = tf.ConfigProto()
if hvd.size() > 1:
    config.gpu_options.visible_device_list = str(hvd.local_rank())
#### after
import tensorflow as tf
from utils import hvd_wrapper as hvd
config = tf.ConfigProto()
#### no device at all
import tensorflow as tf
config = tf.ConfigProto()
config.gpu_options.visible_device_list = ''
#### after
import tensorflow as tf
config = tf.ConfigProto()
#### findings
3 auto
#### options that ask for the rank
import tensorflow as tf
import horovod.tensorflow as hvd
def make():
    options = tf.GPUOptions(visible_device_list=str(hvd.local_rank()))
    return tf.ConfigProto(gpu_options=options)
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
def make():
    return tf.ConfigProto()
#### findings
4 auto
5 auto
#### options that nobody reads
import tensorflow as tf
def make():
    options = tf.GPUOptions(allow_growth=True)
    return tf.ConfigProto()
#### after
import tensorflow as tf
def make():
    return tf.ConfigProto()
