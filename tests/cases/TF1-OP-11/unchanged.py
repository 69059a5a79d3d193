#### said once a file
import tensorflow as tf
a = tf.contrib.layers.layer_norm(a)
b = tf.contrib.layers.layer_norm(b)
p = tf.keras.layers.PReLU()(p)
opt = tf.contrib.opt.LARSOptimizer(0.1)
#### findings
2 info
4 info
5 info
#### an optimizer that is LAMB
import tensorflow as tf
class LAMBOptimizer(tf.train.Optimizer):
    pass
#### findings
2 info
#### not an optimizer
import tensorflow as tf
class Lambda:
    pass
#### batch norm
import tensorflow as tf
x = tf.layers.batch_normalization(x)
