#### once a file, at the first native estimator
import tensorflow as tf
light = tf.estimator.Estimator(model_fn, config=unknown)
first = tf.estimator.Estimator(model_fn, d)
second = tf.estimator.Estimator(model_fn, d)
#### findings
3 info
#### an estimator that is native already
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=model_fn, config=config)
#### findings
2 info
#### the file knows of JOB_ID
import os
import tensorflow as tf
os.environ.setdefault('JOB_ID', '10087')
estimator = tf.estimator.Estimator(model_fn, d)
#### a light estimator does not need it
import tensorflow as tf
estimator = tf.estimator.DNNClassifier([8], columns)
#### no estimator
import tensorflow as tf
sess = tf.Session()
