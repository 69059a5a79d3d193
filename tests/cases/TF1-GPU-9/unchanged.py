#### a library for GPUs blocks
import tensorflow as tf
module = tf.load_op_library('./roi_pooling_gpu.so')
other = tf.load_op_library(os.path.join(here, 'nms.cu.so'))
#### findings
2 blocker
3 blocker
#### a library that may run on the host
import tensorflow as tf
module = tf.load_op_library(path)
#### findings
2 manual
#### another loader
import ctypes
import tensorflow as tf
ctypes.cdll.LoadLibrary('a_gpu.so')
tf.saved_model.load(sess, [], 'gpu')
#### a method of the same name
loader.load_op_library('a.so')
