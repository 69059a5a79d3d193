#### a method of another object
import tensorflow as tf
import horovod.tensorflow as hvd
n = matrix.rank()
m = tf.rank(matrix)
#### with distributed=horovod
#### PyTorch's
import horovod.torch as hvd
r = hvd.rank()
#### with distributed=horovod
