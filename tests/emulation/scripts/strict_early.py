"""A session that is opened before npu_init is imported, and one that is opened after it."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
early = tf.Session()

import npu_bridge.npu_init  # noqa: E402, F401 - EMU-SESS-1

early.close()
with tf.Session() as session:
    session.run(tf.constant(1.0))
