#### names
from keras.layers import Dense, Dropout
from keras.models import Sequential
#### after
from tensorflow.keras.layers import Dense, Dropout
from tensorflow.keras.models import Sequential
#### findings
1 auto
2 auto
#### modules
from keras import layers, models as m
#### after
from tensorflow.keras import layers, models as m
#### findings
1 auto
#### the package
import keras
model = keras.Sequential([keras.layers.Dense(1)])
#### after
from tensorflow import keras
model = keras.Sequential([keras.layers.Dense(1)])
#### findings
1 auto
#### under another name
import keras as K
model = K.Sequential()
#### after
from tensorflow import keras as K
model = K.Sequential()
#### findings
1 auto
#### a module under another name
import keras.backend as K
K.clear_session()
#### after
import tensorflow.keras.backend as K
K.clear_session()
#### findings
1 auto
#### over lines
from keras.layers import (
    Dense,  # the head
    Dropout,
)
#### after
from tensorflow.keras.layers import (
    Dense,  # the head
    Dropout,
)
#### findings
1 auto
#### a module without another name
import keras.layers
x = keras.layers.Dense(1)
#### findings
1 manual
#### what tf.keras does not have
from keras.layers.core import NoSuchLayer
#### findings
1 manual
#### Keras 3
import keras
from keras import ops
y = ops.matmul(a, b)
#### findings
2 blocker
#### Keras 3 below the package
import keras
y = keras.ops.matmul(a, b)
#### findings
1 blocker
#### Keras 2 for later releases of TensorFlow
import tf_keras
model = tf_keras.Sequential()
#### after
from tensorflow import keras as tf_keras
model = tf_keras.Sequential()
#### findings
1 auto
#### Keras 2 in the model garden's way
import tensorflow as tf, tf_keras
model = tf_keras.Sequential()
#### after
import tensorflow as tf
from tensorflow import keras as tf_keras
model = tf_keras.Sequential()
#### findings
1 auto
#### the stale copy in TensorFlow
from tensorflow.python.keras import layers
from tensorflow.python.keras.layers import Dense
import tensorflow.python.keras.backend as K
from tensorflow.python.keras.engine import data_adapter
#### after
from tensorflow.keras import layers
from tensorflow.keras.layers import Dense
import tensorflow.keras.backend as K
from tensorflow.python.keras.engine import data_adapter
#### findings
1 auto
2 auto
3 auto
4 manual
#### defaults of keras 2.3 are written out
from keras.layers import GRU
from keras.optimizers import Adadelta
model.compile(loss='mse', optimizer='nadam')
a = GRU(8), Adadelta()
#### with keras=2.3
#### after
import tensorflow
from tensorflow.keras.layers import GRU
from tensorflow.keras.optimizers import Adadelta
model.compile(loss='mse', optimizer=tensorflow.keras.optimizers.Nadam(learning_rate=0.002))
a = GRU(8, reset_after=False), Adadelta(learning_rate=1.0)
#### later releases have the defaults of tf.keras
from keras.optimizers import Adadelta
a = Adadelta()
#### after
from tensorflow.keras.optimizers import Adadelta
a = Adadelta()
#### an optimizer by a name that is chosen at run time
from keras.models import Sequential
name = 'adagrad' if small else 'adam'
model = Sequential()
model.compile(loss='mse', optimizer=name)
#### with keras=2.3
#### after
from tensorflow.keras.models import Sequential
name = 'adagrad' if small else 'adam'
model = Sequential()
model.compile(loss='mse', optimizer=name)
#### findings
1 auto-check
