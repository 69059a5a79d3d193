#### a device chosen in another way
import tensorflow as tf
config = tf.ConfigProto()
config.gpu_options.visible_device_list = FLAGS.gpu
#### the same line of another library
import mpi as hvd
config.gpu_options.visible_device_list = str(hvd.local_rank())
#### a constant
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### another variable of the environment
import os
import horovod.tensorflow as hvd
os.environ['TF_SEED'] = str(hvd.local_rank())
#### several targets at once
import horovod.tensorflow as hvd
device = config.gpu_options.visible_device_list = str(hvd.local_rank())
#### it is read, not set
import horovod.tensorflow as hvd
same = config.gpu_options.visible_device_list == str(hvd.local_rank())
#### options as a whole are another rule's business
import tensorflow as tf
import horovod.tensorflow as hvd
options = tf.GPUOptions(allow_growth=True, visible_device_list=str(hvd.local_rank()))
#### a variable that holds the rank only sometimes
import horovod.tensorflow as hvd
device = '0'
if several:
    device = str(hvd.local_rank())
config.gpu_options.visible_device_list = device
#### devices of tf.config are another rule's business
import tensorflow as tf
import horovod.tensorflow as hvd
tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')
