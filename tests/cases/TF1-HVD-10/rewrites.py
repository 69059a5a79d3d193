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
#### as an argument
import tensorflow as tf
import horovod.tensorflow as hvd
options = tf.GPUOptions(allow_growth=True, visible_device_list=str(hvd.local_rank()))
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
options = tf.GPUOptions(allow_growth=True)
#### by environment and by physical device
import os
import tensorflow as tf
import horovod.tensorflow as hvd
os.environ['CUDA_VISIBLE_DEVICES'] = str(hvd.local_rank())
tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')
x = 1
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
x = 1
#### findings
4 auto
5 auto
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
