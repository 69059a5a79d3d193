#### a decorator
import tensorflow as tf
@tf.function(jit_compile=True)
def step(x):
    return x * 2
#### after
import tensorflow as tf
@tf.function
def step(x):
    return x * 2
#### findings
2 auto
#### a decorator with more
import tensorflow as tf
@tf.function(jit_compile=True, reduce_retracing=True)
def step(x):
    return x * 2
#### after
import tensorflow as tf
@tf.function(reduce_retracing=True)
def step(x):
    return x * 2
#### findings
2 auto
#### the older name
import tensorflow as tf
@tf.function(experimental_compile=True)
def step(x):
    return x * 2
#### after
import tensorflow as tf
@tf.function
def step(x):
    return x * 2
#### findings
2 auto
#### a call
import tensorflow as tf
step = tf.function(train_step, jit_compile=True)
#### after
import tensorflow as tf
step = tf.function(train_step)
#### findings
2 auto
#### imported by name
from tensorflow import function
@function(jit_compile=True)
def step(x):
    return x * 2
#### after
from tensorflow import function
@function
def step(x):
    return x * 2
#### findings
2 auto
#### Keras
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse', jit_compile=True)
#### after
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse')
#### findings
3 auto
#### Keras by the automatic choice
from tensorflow import keras
model = keras.Sequential()
model.compile('adam', 'mse', jit_compile='auto')
#### after
from tensorflow import keras
model = keras.Sequential()
model.compile('adam', 'mse')
#### findings
3 auto
#### for all graphs
import tensorflow as tf
tf.config.optimizer.set_jit(True)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
2 auto
#### for all graphs by a word
import tensorflow as tf
tf.config.optimizer.set_jit('autoclustering')
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
2 auto
#### behind a flag
import tensorflow as tf
if args.xla:
    tf.config.optimizer.set_jit(True)
tf.random.set_seed(1)
#### after
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### a value that is not known
import tensorflow as tf
tf.config.optimizer.set_jit(args.xla)
@tf.function(jit_compile=args.xla)
def step(x):
    return x * 2
#### findings
2 manual
3 manual
#### as a part of something
import tensorflow as tf
done = tf.config.optimizer.set_jit(True)
#### after
import tensorflow as tf
done = tf.config.optimizer.set_jit(False)
#### findings
2 auto
