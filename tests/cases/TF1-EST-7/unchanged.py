#### a strategy that reaches no native estimator
import tensorflow as tf
strategy = tf.distribute.experimental.ParameterServerStrategy()
config = tf.estimator.RunConfig(train_distribute=strategy)
tf.estimator.DNNClassifier([8], columns, config=config)
#### findings
2 manual
#### a strategy in a native run config
import tensorflow as tf
strategy = tf.distribute.experimental.ParameterServerStrategy()
config = tf.estimator.RunConfig(train_distribute=strategy)
tf.estimator.Estimator(model_fn, config=config)
#### a strategy already given to NPURunConfig
import tensorflow as tf
from npu_bridge.npu_init import *
strategy = tf.contrib.distribute.ParameterServerStrategy()
config = NPURunConfig(distribute=strategy, mix_compile_mode=True)
#### clusters of sessions are another rule's business
import tensorflow as tf
cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})
server = tf.train.Server(cluster, job_name='ps', task_index=0)
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    opt = tf.train.SyncReplicasOptimizer(opt, 2)
#### a strategy of the project
from strategies import ParameterServerStrategy
strategy = ParameterServerStrategy()
