#### the usual line
import tensorflow as tf
import horovod.tensorflow as hvd
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
config.gpu_options.visible_device_list = str(hvd.local_rank())  # one GPU
sess = tf.Session(config=config)
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
# one GPU
sess = tf.Session(config=config)
#### findings
5 auto
#### the only statement of a block
import horovod.tensorflow as hvd
def f(config):
    if hvd:
        config.gpu_options.visible_device_list = '%d' % hvd.local_rank()
    return config
#### after
import horovod.tensorflow as hvd
def f(config):
    if hvd:
        pass
    return config
#### a variable that holds the rank
import tensorflow as tf
import horovod.tensorflow as hvd
def make():
    config = tf.ConfigProto()
    local = hvd.local_rank()
    config.gpu_options.visible_device_list = str(local)
    return config
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
def make():
    config = tf.ConfigProto()
    local = hvd.local_rank()
    return config
#### by environment
import os
import horovod.tensorflow as hvd
os.environ['CUDA_VISIBLE_DEVICES'] = str(hvd.local_rank())
x = 1
#### after
import os
import horovod.tensorflow as hvd
x = 1
#### findings
3 auto
#### already rewritten in part
import tensorflow as tf
from hccl.manage.api import get_local_rank_id
config = tf.ConfigProto()
config.gpu_options.visible_device_list = str(get_local_rank_id())
x = get_local_rank_id()
#### after
import tensorflow as tf
from hccl.manage.api import get_local_rank_id
config = tf.ConfigProto()
x = get_local_rank_id()
