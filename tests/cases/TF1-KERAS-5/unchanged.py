#### tf.keras already
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import Dense
import tensorflow.keras.backend as K
keras.layers.Dense(3)
#### the private path of TensorFlow
from tensorflow.python.keras.layers import Dense
#### other packages with a similar name
import keras_contrib
from keras_applications import resnet
import kerastuner as keras
#### Horovod for keras is another family's
import horovod.keras as hvd
#### a name below the package that tf.keras does not have
import keras
keras.layers.Merge([a, b])
#### findings
1 manual
#### a name below a submodule that tf.keras does not have
from keras import backend as K
K.common.floatx()
#### findings
1 manual
#### a private module handed on
from keras.utils import np_utils
register(np_utils)
#### findings
1 manual
#### a module that moved, used for what did not move along
from keras.engine import saving
saving.load_weights_from_hdf5_group(f, layers)
#### findings
1 manual
#### legacy interfaces have no counterpart
from keras.legacy import interfaces
#### findings
1 manual
#### another backend
import os
os.environ['KERAS_BACKEND'] = 'theano'
#### findings
2 blocker
#### another backend by default
import os
os.environ.setdefault("KERAS_BACKEND", "cntk")
#### findings
2 blocker
#### the TensorFlow backend
import os
os.environ['KERAS_BACKEND'] = 'tensorflow'
os.environ['OTHER'] = 'theano'
print(os.environ['KERAS_BACKEND'])
#### a package of the project called keras
from keras.layers import Dense
#### file keras/__init__.py
#### file keras/layers.py
Dense = dict
#### a relative import of something called keras
from .keras import layers
#### the word in a string
text = "import keras"
#### tf.keras has its own defaults
from tensorflow.keras.optimizers import Adadelta
model.compile(loss='mse', optimizer='adadelta')
a = Adadelta()
