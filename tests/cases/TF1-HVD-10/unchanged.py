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
#### options without it
import tensorflow as tf
import horovod.tensorflow as hvd
tf.GPUOptions(per_process_gpu_memory_fraction=1. / hvd.local_size())
#### a list of devices
import tensorflow as tf
tf.config.experimental.set_visible_devices(gpus, 'GPU')
