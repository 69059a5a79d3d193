#### switched off already
import tensorflow as tf
config = tf.contrib.tpu.RunConfig(model_dir=d)
estimator = tf.contrib.tpu.TPUEstimator(
    model_fn, config=config, use_tpu=False, eval_on_tpu=False, export_to_tpu=False)
#### findings
3 info
#### arguments that cannot be seen
import tensorflow as tf
estimator = tf.contrib.tpu.TPUEstimator(**options)
#### findings
2 manual
2 info
#### a plain estimator
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, d)
#### a class of the user's
class TPUEstimator(object):
    pass
TPUEstimator()
#### another library
from adanet import TPUEstimator
TPUEstimator(head=head, use_tpu=True)
#### mentioned, not called
import tensorflow as tf
assert isinstance(estimator, tf.contrib.tpu.TPUEstimator)
#### a class of another framework with the same switch
import trainer
trainer.Trainer(use_tpu=True)
#### a run config wrapped already
import tensorflow as tf
from npu_bridge.npu_init import npu_run_config_init
def build(config):
    return tf.contrib.tpu.TPUEstimator(
        model_fn, config=npu_run_config_init(run_config=config), use_tpu=False, eval_on_tpu=False,
        export_to_tpu=False)
#### findings
4 info
