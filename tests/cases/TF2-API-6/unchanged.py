#### public modules
import tensorflow as tf
from tensorflow.keras import layers
#### the private copy of Keras, which another rule moves
from tensorflow.python.keras import layers
#### a module of the project
from python.ops import array_ops
