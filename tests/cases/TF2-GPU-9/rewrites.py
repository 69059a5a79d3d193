#### a library of operators
import tensorflow as tf
ops = tf.load_op_library('./ops.so')
#### findings
2 manual
#### compat.v1
import tensorflow as tf
tf.compat.v1.load_op_library('./ops.so')
#### findings
2 manual
