#### a session
import npu_device
import tensorflow as tf
npu_device.open().as_default()
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### findings
4 blocker
#### an Estimator, opened elsewhere
import tensorflow as tf
from setup_npu import npu_config
npu_config()
estimator = tf.compat.v1.estimator.Estimator(model_fn)
tf.compat.v1.estimator.train_and_evaluate(estimator, train, test)
#### file setup_npu.py
import npu_device
def npu_config():
    npu_device.open().as_default()
#### findings
4 blocker
