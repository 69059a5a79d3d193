#### the package itself
import keras

model = keras.models.Sequential([keras.layers.Dense(4)])
#### after
from tensorflow import keras

model = keras.models.Sequential([keras.layers.Dense(4)])
#### findings
1 auto-check
#### the package under another name
import keras as k
k.layers.Dense(4)
#### after
from tensorflow import keras as k
k.layers.Dense(4)
#### names keep their place and their comments
from keras.layers import (
    Dense,  # the head
    Conv2D as Conv,
)
#### after
from tensorflow.keras.layers import (
    Dense,  # the head
    Conv2D as Conv,
)
#### a backend by alias
import keras.backend as K
K.clear_session()
#### after
from tensorflow.keras import backend as K
K.clear_session()
#### the TensorFlow backend module
from keras.backend.tensorflow_backend import set_session
import keras.backend.tensorflow_backend as KTF
KTF.set_session(s)
#### after
from tensorflow.keras.backend import set_session
from tensorflow.keras import backend as KTF
KTF.set_session(s)
#### findings
1 auto-check
2 auto
#### modules that tf.keras keeps private
from keras.layers.core import Dense, Flatten
from keras.layers.advanced_activations import LeakyReLU
#### after
from tensorflow.keras.layers import Dense, Flatten
from tensorflow.keras.layers import LeakyReLU
#### names that went to different modules
from keras.engine.topology import Layer, Input
#### after
from tensorflow.keras.layers import Layer
from tensorflow.keras import Input
#### a helper module used for one function
from keras.utils import np_utils
y = np_utils.to_categorical(labels, 10)
#### after
from tensorflow.keras import utils as np_utils
y = np_utils.to_categorical(labels, 10)
#### a submodule imported for its effect on the package's name
import keras.layers
x = keras.layers.Dense(2)
#### after
from tensorflow import keras
x = keras.layers.Dense(2)
#### beside other modules on the same line
import os, keras, sys
keras.backend.clear_session()
#### after
import os, sys
from tensorflow import keras
keras.backend.clear_session()
#### several statements on one line
import os; import keras; print(keras.__version__)
#### after
import os; from tensorflow import keras; print(keras.__version__)
#### a star
from keras.layers import *
#### after
from tensorflow.keras.layers import *
#### inside a function, and as an alternative
def build():
    from keras.models import Model, load_model
    return load_model('a.h5')
#### after
def build():
    from tensorflow.keras.models import Model, load_model
    return load_model('a.h5')
#### one name is missing: that statement stays, the others move
from keras.layers import Merge
from keras.layers import Dense
#### after
from keras.layers import Merge
from tensorflow.keras.layers import Dense
#### findings
1 manual
2 auto-check
#### a local name for what is renamed
from keras.objectives import mse
#### after
from tensorflow.keras.losses import MSE as mse
#### functions of TensorFlow that the backend passes on
import tensorflow as tf
from keras import backend as K
_, mask = K.control_flow_ops.while_loop(more, body, [0, mask])
x = K.zeros_like(mask)
#### after
import tensorflow as tf
from tensorflow.keras import backend as K
_, mask = tf.while_loop(more, body, [0, mask])
x = K.zeros_like(mask)
#### only the first import of a file asks for a check
from keras.layers import Dense
from keras.models import Model
#### after
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Model
#### findings
1 auto-check
2 auto
#### second names of the optimizers
import keras
from keras import optimizers
from keras.optimizers import sgd
a = keras.optimizers.rmsprop(lr=0.001)
b = optimizers.adam(0.1)
c = sgd(0.1)
#### after
from tensorflow import keras
from tensorflow.keras import optimizers
from tensorflow.keras.optimizers import SGD as sgd
a = keras.optimizers.RMSprop(lr=0.001)
b = optimizers.Adam(0.1)
c = sgd(0.1)
#### default learning rates are written out
from keras.optimizers import Adadelta, Adagrad, Adamax, Nadam, Adam
optimizers = [Adadelta(), Adagrad(), Adamax(clipnorm=1.0), Nadam(schedule_decay=0.01), Adam()]
#### after
from tensorflow.keras.optimizers import Adadelta, Adagrad, Adamax, Nadam, Adam
optimizers = [Adadelta(learning_rate=1.0), Adagrad(learning_rate=0.01, initial_accumulator_value=0.0), Adamax(clipnorm=1.0, learning_rate=0.002), Nadam(schedule_decay=0.01, learning_rate=0.002), Adam()]
#### learning rates that are given stay
import keras
a = keras.optimizers.Adadelta(lr=0.5)
b = keras.optimizers.Adamax(0.3)
c = keras.optimizers.Nadam(learning_rate=0.1)
#### after
from tensorflow import keras
a = keras.optimizers.Adadelta(lr=0.5)
b = keras.optimizers.Adamax(0.3)
c = keras.optimizers.Nadam(learning_rate=0.1)
#### optimizers by name
from keras.models import Sequential
model = Sequential()
model.compile(loss='mse', optimizer='adadelta')
model.compile('Adagrad', 'mse')
model.compile(loss='mse', optimizer='adam')
#### after
import tensorflow
from tensorflow.keras.models import Sequential
model = Sequential()
model.compile(loss='mse', optimizer=tensorflow.keras.optimizers.Adadelta(learning_rate=1.0))
model.compile(tensorflow.keras.optimizers.Adagrad(learning_rate=0.01, initial_accumulator_value=0.0), 'mse')
model.compile(loss='mse', optimizer='adam')
#### positions that mean something else in tf.keras
from keras.optimizers import SGD, RMSprop, Adagrad, Adam
a = SGD(0.1, 0.9, 1e-6, True)
b = RMSprop(0.001, 0.9, 1e-8)
c = Adagrad(0.1, 1e-8)
d = Adam(0.1, 0.9, 0.999, 1e-8, 0.01)
e = SGD(0.1, 0.9, True)
#### after
from tensorflow.keras.optimizers import SGD, RMSprop, Adagrad, Adam
a = SGD(0.1, 0.9, decay=1e-6, nesterov=True)
b = RMSprop(0.001, 0.9, epsilon=1e-8)
c = Adagrad(0.1, epsilon=1e-8, initial_accumulator_value=0.0)
d = Adam(0.1, 0.9, 0.999, 1e-8, decay=0.01)
e = SGD(0.1, 0.9, True)
#### gates of keras 2.3
from keras.layers import LSTM, GRU
a = LSTM(8)
b = GRU(8, recurrent_activation='tanh')
#### with keras=2.3
#### after
from tensorflow.keras.layers import LSTM, GRU
a = LSTM(8, recurrent_activation='sigmoid')
b = GRU(8, recurrent_activation='tanh')
#### another name for a class
from keras import layers
RNN = layers.LSTM
a = RNN(8)
#### with keras=2.3
#### after
from tensorflow.keras import layers
RNN = layers.LSTM
a = RNN(8, recurrent_activation='sigmoid')
#### gates of keras 2.2 are those of tf.keras
from keras.layers import LSTM
a = LSTM(8)
#### with keras=2.2
#### after
from tensorflow.keras.layers import LSTM
a = LSTM(8)
#### arguments that are not known
from keras.optimizers import Adadelta
a = Adadelta(**options)
#### after
from tensorflow.keras.optimizers import Adadelta
a = Adadelta(**options)
#### findings
1 auto-check
#### an expression is compiled as well
import re
from keras.layers import Dense
word = re.compile('adadelta')
#### after
import re
from tensorflow.keras.layers import Dense
word = re.compile('adadelta')
#### defaults of a class that a star import brings
from keras.layers import *
from keras.optimizers import *
model.compile(Adadelta(), 'mse')
LSTM(4)
#### after
from tensorflow.keras.layers import *
from tensorflow.keras.optimizers import *
model.compile(Adadelta(learning_rate=1.0), 'mse')
LSTM(4)
#### findings
1 auto-check
2 auto
