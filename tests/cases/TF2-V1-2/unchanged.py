#### compat.v1
import tensorflow as tf
estimator = tf.compat.v1.estimator.Estimator(model_fn)
#### another package
from sklearn.base import BaseEstimator
import tensorflow as tf
class Model(BaseEstimator):
    pass
#### Keras
import tensorflow as tf
model = tf.keras.Sequential()
#### hooks and exporters train nothing by themselves
import tensorflow as tf
class Hook(tf.estimator.SessionRunHook):
    pass
receiver = tf.estimator.export.ServingInputReceiver
