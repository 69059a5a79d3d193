#### once a function
import tensorflow as tf
def model_fn(features, labels, mode, params):
    if mode == 'train':
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, scaffold_fn=scaffold)
    return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, eval_metrics=(fn, [loss]))
#### findings
4 info
#### a plain spec
import tensorflow as tf
def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=loss)
#### another library
from mylib import TPUEstimatorSpec
TPUEstimatorSpec(mode)
