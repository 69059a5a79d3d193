#### session without arguments
import tensorflow as tf

sess = tf.Session()
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto

sess = tf.Session(config=npu_config_proto())
#### findings
3 auto
#### keyword config
import tensorflow as tf
config = tf.ConfigProto()
with tf.Session(graph=g, config=config) as sess:  # train
    sess.run(op)
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = tf.ConfigProto()
with tf.Session(graph=g, config=npu_config_proto(config_proto=config)) as sess:  # train
    sess.run(op)
#### positional config keeps its position
import tensorflow.compat.v1 as tf
tf.Session('', g, cfg)
#### after
import tensorflow.compat.v1 as tf
from npu_bridge.npu_init import npu_config_proto
tf.Session('', g, npu_config_proto(config_proto=cfg))
