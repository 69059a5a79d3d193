#### a cluster
import tensorflow as tf
cluster = tf.train.ClusterSpec({'ps': a, 'worker': b})
server = tf.train.Server(cluster, job_name='worker', task_index=0)
#### findings
2 manual
#### two clusters are one program
import tensorflow as tf
a = tf.train.ClusterSpec({})
b = tf.train.ClusterSpec({})
#### findings
2 manual
#### no cluster
import tensorflow as tf
with tf.Session() as sess:
    pass
#### a local server has no cluster
import tensorflow as tf
server = tf.train.Server.create_local_server()
#### somebody else's cluster
from dask import ClusterSpec
ClusterSpec({})
#### a device setter without servers
import tensorflow as tf
with tf.device(tf.train.replica_device_setter(0)):
    pass
with tf.device(tf.train.replica_device_setter(ps_tasks=0, merge_devices=True)):
    pass
device = tf.train.replica_device_setter()
#### a number of servers that a flag says
import tensorflow as tf
with tf.device(tf.train.replica_device_setter(FLAGS.ps_tasks)):
    pass
#### findings
2 manual
#### a cluster, its server, its device setter and its optimizer are one program
import tensorflow as tf
server = tf.train.Server(cluster, job_name='ps', task_index=0)
cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    opt = tf.train.SyncReplicasOptimizer(opt, 2)
#### findings
3 manual
#### a file that is handed the cluster
import tensorflow as tf
def build(cluster, opt):
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        return tf.train.SyncReplicasOptimizer(opt, 2)
#### findings
4 manual
#### a server of another library
from http.server import Server
Server('', 80)
