#### no config
import tensorflow as tf
estimator = tf.keras.estimator.model_to_estimator(model)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu import keras_to_npu
from npu_bridge.estimator.npu.npu_config import NPURunConfig
estimator = keras_to_npu.model_to_npu_estimator(keras_model=model,
        config=NPURunConfig(
            session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
            save_summary_steps=100,
            save_checkpoints_secs=600))
#### findings
2 auto-check
#### arguments whose order differs
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.keras.estimator.model_to_estimator(model, None, None, d, config, 'saver')
#### after
import tensorflow as tf
from npu_bridge.estimator.npu import keras_to_npu
config = tf.estimator.RunConfig(model_dir=d)
estimator = keras_to_npu.model_to_npu_estimator(keras_model=model, keras_model_path=None, custom_objects=None, model_dir=d, config=config, checkpoint_format='saver')
#### findings
3 auto-check
#### keyword arguments
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.keras.estimator.model_to_estimator(
    keras_model=model,  # the net
    config=config)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu import keras_to_npu
config = tf.estimator.RunConfig(model_dir=d)
estimator = keras_to_npu.model_to_npu_estimator(
    keras_model=model,  # the net
    config=config)
#### findings
3 auto-check
#### a config from an unknown place
import tensorflow as tf
from somewhere import config
estimator = tf.keras.estimator.model_to_estimator(model, config=config)
#### after
import tensorflow as tf
from somewhere import config
from npu_bridge.npu_init import npu_run_config_init
estimator = tf.keras.estimator.model_to_estimator(model, config=npu_run_config_init(run_config=config))
#### findings
3 auto
#### a config that a canned estimator shares
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.keras.estimator.model_to_estimator(model, config=config)
other = tf.estimator.DNNClassifier([8], columns, config=config)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.keras.estimator.model_to_estimator(model, config=npu_run_config_init(run_config=config))
other = tf.estimator.DNNClassifier([8], columns, config=config)
#### findings
3 auto
