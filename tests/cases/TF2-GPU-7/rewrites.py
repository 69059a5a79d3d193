#### a number
import tensorflow as tf
num_gpus = len(tf.config.list_physical_devices('GPU'))
#### findings
2 manual
#### the first
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
name = gpus[0].name
#### findings
2 manual
#### all devices
from tensorflow.python.client import device_lib
import tensorflow as tf
names = [d.name for d in device_lib.list_local_devices() if d.device_type == 'GPU']
#### findings
3 manual
