#### an operator module
import tensorflow as tf
from tensorflow.python.ops import array_ops
#### findings
2 info
#### a whole module
import tensorflow.python.eager.context as context
#### findings
1 info
