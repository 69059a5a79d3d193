#### already for the NPU
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.contrib.tpu.RunConfig(model_dir=d, session_config=npu_config_proto())
#### already for the NPU, with options
import tensorflow as tf
from npu_options import session_config
config = tf.contrib.tpu.RunConfig(model_dir=d, session_config=session_config())
#### with npu.precision_mode=allow_mix_precision
#### arguments that cannot be seen
import tensorflow as tf
config = tf.contrib.tpu.RunConfig(**options)
#### findings
2 manual
#### a plain run config
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d)
#### settings for the TPU alone
import tensorflow as tf
per_host = tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
tpu_config = tf.contrib.tpu.TPUConfig(per_host_input_for_training=per_host)
#### somebody else's run config
from ray.tune import RunConfig
RunConfig(name='x')
#### another kind of resolver
import tensorflow as tf
resolver = tf.distribute.cluster_resolver.SlurmClusterResolver()
#### a resolver whose addresses are read
import tensorflow as tf
resolver = tf.contrib.cluster_resolver.TPUClusterResolver(FLAGS.tpu_name)
master = resolver.get_master()
#### findings
2 blocker
#### a resolver for a strategy
import tensorflow as tf
resolver = tf.distribute.cluster_resolver.TPUClusterResolver(FLAGS.tpu_name)
strategy = tf.distribute.experimental.TPUStrategy(resolver)
#### findings
2 blocker
