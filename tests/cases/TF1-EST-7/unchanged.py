#### a cluster of sessions
import tensorflow as tf
cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})
server = tf.train.Server(cluster, job_name='ps', task_index=0)
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    opt = tf.train.SyncReplicasOptimizer(opt, 2)
#### findings
3 manual
4 manual
5 manual
#### a number of servers that a flag says
import tensorflow as tf
with tf.device(tf.train.replica_device_setter(FLAGS.ps_tasks)):
    pass
#### findings
2 manual
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
#### no servers
import tensorflow as tf
with tf.device(tf.train.replica_device_setter(0)):
    pass
with tf.device(tf.train.replica_device_setter(ps_tasks=0, merge_devices=True)):
    pass
#### a setter without servers
import tensorflow as tf
device = tf.train.replica_device_setter()
#### a server of another library
from http.server import Server
Server('', 80)
#### a local server for tests
import tensorflow as tf
server = tf.train.Server.create_local_server()
