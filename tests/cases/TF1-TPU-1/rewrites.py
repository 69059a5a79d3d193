#### switches by keyword and absent
import tensorflow as tf
estimator = tf.contrib.tpu.TPUEstimator(
    use_tpu=FLAGS.use_tpu,
    model_fn=model_fn,
    config=tf.contrib.tpu.RunConfig(model_dir=d),
    train_batch_size=FLAGS.train_batch_size)  # falls back to CPU
#### after
import tensorflow as tf
estimator = tf.contrib.tpu.TPUEstimator(
    use_tpu=False,
    model_fn=model_fn,
    config=tf.contrib.tpu.RunConfig(model_dir=d),
    train_batch_size=FLAGS.train_batch_size,
    eval_on_tpu=False,
    export_to_tpu=False)  # falls back to CPU
#### findings
2 auto
2 info
#### switches by position
import tensorflow as tf
config = tf.estimator.tpu.RunConfig(model_dir=d)
estimator = tf.estimator.tpu.TPUEstimator(model_fn, d, config, params, True, 8, 8, 8, None, True, True)
#### after
import tensorflow as tf
config = tf.estimator.tpu.RunConfig(model_dir=d)
estimator = tf.estimator.tpu.TPUEstimator(model_fn, d, config, params, False, 8, 8, 8, None, False, False)
#### findings
3 auto
3 info
#### a private path
from tensorflow.contrib.tpu.python.tpu import tpu_config, tpu_estimator
estimator = tpu_estimator.TPUEstimator(model_fn, config=tpu_config.RunConfig(), use_tpu=False)
#### after
from tensorflow.contrib.tpu.python.tpu import tpu_config, tpu_estimator
estimator = tpu_estimator.TPUEstimator(model_fn, config=tpu_config.RunConfig(), use_tpu=False,
        eval_on_tpu=False,
        export_to_tpu=False)
#### findings
2 auto
2 info
#### a run config from an unknown place
import tensorflow as tf
def build(run_config):
    return tf.contrib.tpu.TPUEstimator(model_fn, config=run_config, use_tpu=False, eval_on_tpu=False, export_to_tpu=False)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
def build(run_config):
    return tf.contrib.tpu.TPUEstimator(model_fn, config=npu_run_config_init(run_config=run_config), use_tpu=False, eval_on_tpu=False, export_to_tpu=False)
#### findings
3 auto
3 info
