#### growth in a loop
import tensorflow as tf
for gpu in tf.config.list_physical_devices('GPU'):
    tf.config.experimental.set_memory_growth(gpu, True)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### growth with a list, a guard and a try
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
if gpus:
    try:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
    except RuntimeError as e:
        print(e)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
6 auto
#### the first of a list
import tensorflow as tf
physical_devices = tf.config.list_physical_devices('GPU')
tf.config.experimental.set_memory_growth(physical_devices[0], True)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### visible devices
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
tf.config.set_visible_devices(gpus[0], 'GPU')
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### visible devices by the rank of Horovod
import horovod.tensorflow as hvd
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
if gpus:
    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')
tf.random.set_seed(1)
#### after
import horovod.tensorflow as hvd
import tensorflow as tf
tf.random.set_seed(1)
#### findings
5 auto
7 auto
#### virtual devices
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
tf.config.set_logical_device_configuration(
    gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### virtual devices by their older names
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
tf.config.experimental.set_virtual_device_configuration(
    gpus[0], [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### the names of compat.v1
import tensorflow as tf
for gpu in tf.compat.v1.config.experimental.list_physical_devices('GPU'):
    tf.compat.v1.config.experimental.set_memory_growth(gpu, True)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### imported by name
from tensorflow.config.experimental import list_physical_devices, set_memory_growth
import tensorflow as tf
for gpu in list_physical_devices('GPU'):
    set_memory_growth(gpu, True)
tf.random.set_seed(1)
#### after
from tensorflow.config.experimental import list_physical_devices, set_memory_growth
import tensorflow as tf
tf.random.set_seed(1)
#### findings
4 auto
#### a result that is used
import tensorflow as tf
done = tf.config.experimental.set_memory_growth(make(), True)
#### findings
2 info
