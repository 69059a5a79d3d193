#### no session config
import tensorflow as tf
run_config = tf.contrib.tpu.RunConfig(
    cluster=None,
    model_dir=FLAGS.output_dir,
    tpu_config=tf.contrib.tpu.TPUConfig(
        iterations_per_loop=10))
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
run_config = tf.contrib.tpu.RunConfig(
    cluster=None,
    model_dir=FLAGS.output_dir,
    tpu_config=tf.contrib.tpu.TPUConfig(
        iterations_per_loop=10),
    session_config=npu_config_proto())
#### findings
2 auto
#### a session config
import tensorflow as tf
config = tf.estimator.tpu.RunConfig(session_config=tf.ConfigProto(), model_dir=d)
empty = tf.estimator.tpu.RunConfig(session_config=None)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.estimator.tpu.RunConfig(session_config=npu_config_proto(config_proto=tf.ConfigProto()), model_dir=d)
empty = tf.estimator.tpu.RunConfig(session_config=npu_config_proto())
#### findings
2 auto
3 auto
#### options requested
import tensorflow as tf
config = tf.contrib.tpu.RunConfig(model_dir=d)
#### after
import tensorflow as tf
from npu_options import session_config
config = tf.contrib.tpu.RunConfig(model_dir=d, session_config=session_config())
#### with npu.precision_mode=allow_mix_precision
#### findings
2 auto
#### a resolver for nothing but the run config
import tensorflow as tf
resolver = None
if FLAGS.use_tpu and FLAGS.tpu_name:
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver(
        FLAGS.tpu_name, zone=FLAGS.zone)  # in the cloud
config = tf.contrib.tpu.RunConfig(cluster=resolver, session_config=npu_session())
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
resolver = None
if FLAGS.use_tpu and FLAGS.tpu_name:
    resolver = None  # in the cloud
config = tf.contrib.tpu.RunConfig(cluster=resolver, session_config=npu_config_proto(config_proto=npu_session()))
#### findings
4 auto
6 auto
#### a private path
from tensorflow.contrib.tpu.python.tpu import tpu_config
config = tpu_config.RunConfig()
#### after
from tensorflow.contrib.tpu.python.tpu import tpu_config
from npu_bridge.npu_init import npu_config_proto
config = tpu_config.RunConfig(session_config=npu_config_proto())
#### findings
2 auto
