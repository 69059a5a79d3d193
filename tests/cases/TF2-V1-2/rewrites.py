#### an Estimator
import tensorflow as tf
config = tf.estimator.RunConfig()
estimator = tf.estimator.Estimator(model_fn, config=config)
#### findings
2 blocker
#### a ready-made one
import tensorflow as tf
estimator = tf.estimator.DNNClassifier([10], columns)
#### findings
2 blocker
