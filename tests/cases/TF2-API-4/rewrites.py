#### addons
import tensorflow as tf
import tensorflow_addons as tfa
from tensorflow_addons import optimizers
#### findings
2 info
#### a module
from tensorflow_hub import KerasLayer
#### findings
1 info
#### text
import tensorflow_text
#### findings
1 info
