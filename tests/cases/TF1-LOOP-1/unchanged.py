#### a loop length that divides what is known
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=1500)
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.train(input_fn, max_steps=10000)
#### findings
2 info
#### nothing is known
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
tf.estimator.Estimator(model_fn, config=config).train(input_fn, steps=FLAGS.steps)
#### findings
2 info
#### nothing divides what is known
from npu_bridge.npu_init import *
config = NPURunConfig(save_checkpoints_steps=997)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn, max_steps=1000)
#### findings
2 info
#### a loop length that does not fit
from npu_bridge.npu_init import *
config = NPURunConfig(save_checkpoints_steps=1000, iterations_per_loop=300)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn, max_steps=900)
#### findings
2 manual
#### a loop length that fits
from npu_bridge.npu_init import *
config = NPURunConfig(save_checkpoints_steps=1000, iterations_per_loop=100)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn, max_steps=900)
#### one iteration a loop on purpose
from npu_bridge.npu_init import *
config = NPURunConfig(save_checkpoints_steps=1000, iterations_per_loop=1)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn, max_steps=7)
#### mixed computing allows one iteration only
from npu_bridge.npu_init import *
config = NPURunConfig(mix_compile_mode=True)
estimator = NPUEstimator(model_fn=f, config=config)
estimator.train(input_fn, max_steps=900)
#### light style
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=1000)
tf.estimator.DNNClassifier([8], columns, config=config).train(input_fn, steps=100)
#### nothing is trained
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.evaluate(input_fn)
#### the second run config of a file
import tensorflow as tf
first = tf.estimator.RunConfig(model_dir=d)
tf.estimator.Estimator(model_fn, config=first).train(input_fn, steps=100)
second = tf.estimator.RunConfig(model_dir=e)
tf.estimator.Estimator(model_fn, config=second).train(input_fn, steps=100)
#### findings
2 info
