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
