#### by a number
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### with distributed=horovod
#### another variable
import os
import tensorflow as tf
import horovod.tensorflow as hvd
os.environ['MY_DEVICE'] = str(hvd.local_rank())
#### with distributed=horovod
