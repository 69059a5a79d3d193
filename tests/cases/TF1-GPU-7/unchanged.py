#### counts and lists are reported
import tensorflow as tf
from tensorflow.python.client import device_lib
num_gpus = len(tf.config.experimental.list_physical_devices('GPU'))

def get_available_gpus():
    return [x.name for x in device_lib.list_local_devices() if x.device_type == 'GPU']
#### findings
3 manual
6 manual
#### what a guard asks is another rule's business
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
assert len(gpus) > 0
if not tf.config.experimental.list_physical_devices(device_type='GPU'):
    raise ValueError('no GPU')
#### what memory settings need is another rule's business
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
#### CPUs
import tensorflow as tf
tf.config.experimental.list_physical_devices('CPU')
#### a type that cannot be seen
import tensorflow as tf
tf.config.experimental.list_physical_devices(kind)
#### somebody else's list
import other as tf
tf.config.experimental.list_physical_devices('GPU')
#### the flag's count
num_gpus = FLAGS.num_gpus
