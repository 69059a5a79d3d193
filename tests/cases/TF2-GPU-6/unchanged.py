#### CPUs
import tensorflow as tf
cpus = tf.config.list_physical_devices('CPU')
tf.config.set_logical_device_configuration(
    cpus[0], [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
#### all CPUs
import tensorflow as tf
tf.config.set_visible_devices([], 'CPU')
#### somebody else's function
import gpustat
gpustat.set_memory_growth(gpu, True)
#### threads
import tensorflow as tf
tf.config.threading.set_intra_op_parallelism_threads(4)
