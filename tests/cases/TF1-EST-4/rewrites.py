#### a canned estimator and a list of hooks
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, hooks=[logging_hook], steps=10)  # go
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, hooks=npu_hooks_append(hooks_list=[logging_hook]), steps=10)  # go
#### with distributed=tf_strategy
#### findings
3 auto
#### hooks by position, not necessarily a list
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, hooks, max_steps=10)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, npu_hooks_append(hooks_list=list(hooks or [])), max_steps=10)
#### with distributed=tf_strategy
#### findings
3 auto
#### no hooks, or None
import tensorflow as tf
classifier = tf.estimator.LinearClassifier(columns)
classifier.train(input_fn)
classifier.train(
    input_fn,
    hooks=None,
)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
classifier = tf.estimator.LinearClassifier(columns)
classifier.train(input_fn, hooks=npu_hooks_append(hooks_list=[]))
classifier.train(
    input_fn,
    hooks=npu_hooks_append(hooks_list=[]),
)
#### with distributed=horovod
#### findings
3 auto
4 auto
#### a TrainSpec for a canned estimator
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
train_spec = tf.estimator.TrainSpec(input_fn, 1000, hooks if debug else None)
tf.estimator.train_and_evaluate(classifier, train_spec, eval_spec)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
classifier = tf.estimator.DNNClassifier([8], columns)
train_spec = tf.estimator.TrainSpec(input_fn, 1000, npu_hooks_append(hooks_list=list((hooks if debug else None) or [])))
tf.estimator.train_and_evaluate(classifier, train_spec, eval_spec)
#### with distributed=tf_strategy
#### findings
3 auto
#### a TrainSpec for an estimator out of sight
import tensorflow as tf
def spec():
    return tf.estimator.TrainSpec(input_fn, max_steps=1000)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
def spec():
    return tf.estimator.TrainSpec(input_fn, max_steps=1000, hooks=npu_hooks_append(hooks_list=[]))
#### with distributed=tf_strategy
#### findings
3 auto
#### an estimator whose config is unknown
import tensorflow as tf
from somewhere import config
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.train(input_fn)
#### after
import tensorflow as tf
from somewhere import config
from npu_bridge.npu_init import npu_hooks_append
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.train(input_fn, hooks=npu_hooks_append(hooks_list=[]))
#### with distributed=tf_strategy
#### findings
4 auto
#### a TPUEstimator
import tensorflow as tf
estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=8)
estimator.train(input_fn=input_fn, max_steps=10)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=8)
estimator.train(input_fn=input_fn, max_steps=10, hooks=npu_hooks_append(hooks_list=[]))
#### with distributed=tf_strategy
#### findings
3 auto
