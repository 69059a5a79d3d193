#### only memory settings use it
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
#### only a guard uses it
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
assert gpus
#### CPUs
import tensorflow as tf
cpus = tf.config.list_physical_devices('CPU')
#### TPUs
import tensorflow as tf
tpus = tf.config.list_logical_devices('TPU')
