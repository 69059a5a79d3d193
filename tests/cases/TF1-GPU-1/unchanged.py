#### somebody else's config
import torch
config = torch.Config()
config.gpu_options.allow_growth = True
#### other options of the config
import tensorflow as tf
config = tf.ConfigProto()
config.intra_op_parallelism_threads = 4
config.graph_options.rewrite_options.memory_optimization = 1
#### a value that does something is left and reported
import tensorflow as tf
config = tf.ConfigProto()
config.gpu_options.visible_device_list = pick_a_free_gpu()
#### findings
3 info
#### options that something else uses are left and reported
import tensorflow as tf
gpu_options = tf.GPUOptions(allow_growth=True)
report(gpu_options)
#### findings
2 info
#### two targets
import tensorflow as tf
config = tf.ConfigProto()
grow = config.gpu_options.allow_growth = True
print(grow)
#### findings
3 info
#### an argument that does something
import tensorflow as tf
config = tf.ConfigProto(gpu_options=make_options())
#### findings
2 info
#### reading an option
import tensorflow as tf
config = tf.ConfigProto()
print(config.gpu_options.allow_growth)
#### a keyword of the same name of another function
import tensorflow as tf
make_config(gpu_options=1)
#### a config that may be anything
import tensorflow as tf

def grow(config):
    config.gpu_options.allow_growth = True
#### arguments that cannot be seen
import tensorflow as tf
config = tf.ConfigProto(**settings)
#### a class attribute of the same name
import tensorflow as tf

class Flags(object):
    allow_growth = True
#### options made for nobody
import tensorflow as tf
tf.GPUOptions(allow_growth=True)
#### a device picked by rank is the business of distributed training
import horovod.tensorflow as hvd
import tensorflow.compat.v1 as tf
config = tf.ConfigProto()
config.gpu_options.visible_device_list = str(hvd.local_rank())
