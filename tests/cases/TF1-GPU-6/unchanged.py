#### settings of the host
import tensorflow as tf
cpus = tf.config.experimental.list_physical_devices('CPU')
tf.config.experimental.set_virtual_device_configuration(cpus[0], [a, b])
tf.config.experimental.set_visible_devices([], 'CPU')
#### a setting whose argument does something is left and reported
import tensorflow as tf
tf.config.experimental.set_memory_growth(pick(), True)
#### findings
2 info
#### the result of a setting
import tensorflow as tf
done = tf.config.experimental.set_memory_growth(gpu, True)
#### findings
2 info
#### somebody else's setting
import other as tf
tf.config.experimental.set_memory_growth(gpu, True)
#### a method of the same name
device.set_memory_growth(gpu, True)
#### only a list
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
#### only mentioned
import tensorflow as tf
grow = tf.config.experimental.set_memory_growth
#### other settings
import tensorflow as tf
tf.config.threading.set_inter_op_parallelism_threads(4)
