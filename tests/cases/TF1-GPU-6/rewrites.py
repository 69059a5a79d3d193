#### a loop goes
import tensorflow as tf
for gpu in tf.config.experimental.list_physical_devices('GPU'):
    tf.config.experimental.set_memory_growth(gpu, True)
train()
#### after
import tensorflow as tf
train()
#### findings
3 auto
#### the whole snippet of the guide
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
if gpus:
    # Currently, memory growth needs to be the same across GPUs
    try:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
    except RuntimeError as e:
        print(e)
train()
#### after
import tensorflow as tf
# Currently, memory growth needs to be the same across GPUs
train()
#### a device that is not there
import tensorflow as tf
devices = tf.config.experimental.list_physical_devices('GPU')
tf.config.experimental.set_memory_growth(devices[0], True)
tf.config.experimental.set_virtual_device_configuration(
    devices[0], [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])
#### after
import tensorflow as tf
#### findings
3 auto
4 auto
#### a list that is used elsewhere stays
import tensorflow as tf

def main():
    gpus = tf.config.experimental.list_physical_devices('GPU')
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    print(len(gpus))
#### after
import tensorflow as tf

def main():
    gpus = tf.config.experimental.list_physical_devices('GPU')
    print(len(gpus))
#### beside something else in the loop
import tensorflow as tf
for gpu in tf.config.experimental.list_physical_devices('GPU'):
    print(gpu)
    tf.config.experimental.set_memory_growth(gpu, True)
#### after
import tensorflow as tf
for gpu in tf.config.experimental.list_physical_devices('GPU'):
    print(gpu)
#### the list inside a condition
import tensorflow as tf

def set_up(flags):
    if flags.grow:
        devices = tf.config.experimental.list_physical_devices('GPU')
        for device in devices:
            tf.config.experimental.set_memory_growth(device, True)
    return flags
#### after
import tensorflow as tf

def set_up(flags):
    return flags
#### beside another branch
import tensorflow as tf
if hasattr(tf.config, 'experimental'):
    gpus = tf.config.experimental.list_physical_devices('GPU')
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
else:
    set_up()
#### after
import tensorflow as tf
if hasattr(tf.config, 'experimental'):
    pass
else:
    set_up()
#### the device of a rank
import tensorflow as tf
import horovod.tensorflow as hvd
gpus = tf.config.experimental.list_physical_devices('GPU')
if gpus:
    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')
train()
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
train()
