#### tf.zeros
import tensorflow as tf
x = tf.zeros((3,))
#### zeros_like keeps its shape from a tensor
from tensorflow.keras import backend as K
x = K.zeros_like(y)
#### numpy
import numpy as K
x = K.zeros((2,))
#### an initializer of that name
import tensorflow as tf
x = tf.keras.initializers.zeros()
#### moments of an optimizer are state
from tensorflow.keras import backend as K, optimizers
class Lookahead(optimizers.Optimizer):
    def get_updates(self, loss, params):
        self.steps = K.zeros((1,))
        m = f(K.zeros((2,)))
#### findings
4 manual
5 manual
#### a list of state
from tensorflow.keras import backend as K
moments = [K.zeros(s) for s in shapes]
#### findings
2 manual
#### an attribute
from tensorflow.keras import backend as K
class Layer(object):
    def build(self, shape):
        self.state = K.zeros(shape)
#### findings
4 manual
#### updated by name
from tensorflow.keras import backend as K
counter = K.zeros((1,))
K.update_add(counter, 1)
#### findings
2 manual
#### handed out
from tensorflow.keras import backend as K
def make():
    return K.zeros((1,))
#### findings
3 manual
#### arguments that cannot be seen
from tensorflow.keras import backend as K
f(K.zeros(*args))
#### findings
2 manual
#### a function of the user's
def zeros(shape): return shape
zeros((2,))
