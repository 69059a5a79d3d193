#### plain float32
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy('float32')
#### no policy
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy(None)
#### somebody else's set_policy
from torchlike import set_policy
set_policy('mixed_float16')
#### a method of that name
import tensorflow as tf
agent.set_policy('mixed_float16')
#### a policy that is read
import tensorflow as tf
p = tf.keras.mixed_precision.experimental.global_policy()
#### the result is used
import tensorflow as tf
done = tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
#### findings
2 manual
#### a loss scale for a Keras optimizer
import tensorflow as tf
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 'dynamic')
#### findings
2 manual
#### a class of the user's called LossScaleOptimizer
import tensorflow as tf
class LossScaleOptimizer(object):
    pass
LossScaleOptimizer()
#### a policy made but not set
import tensorflow as tf
p = tf.keras.mixed_precision.experimental.Policy('mixed_float16')
