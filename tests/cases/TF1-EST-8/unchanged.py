#### already native
from npu_bridge.npu_init import *
estimator = keras_to_npu.model_to_npu_estimator(keras_model=model, config=config)
#### already light
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
estimator = tf.keras.estimator.model_to_estimator(model, config=npu_run_config_init(run_config=c))
#### a function of the user's with the same name
def model_to_estimator(model):
    return model
model_to_estimator(model)
#### another library
from keras2other.estimator import model_to_estimator
model_to_estimator(model)
#### mentioned, not called
import tensorflow as tf
convert = tf.keras.estimator.model_to_estimator
#### a session for the NPU in the config
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.estimator.RunConfig(session_config=npu_config_proto())
estimator = tf.keras.estimator.model_to_estimator(model, config=config)
#### a Keras model that stays one
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x, y)
#### a config that cannot be seen
import tensorflow as tf
estimator = tf.keras.estimator.model_to_estimator(**options)
#### findings
2 manual
