"""A session before npu_init is imported, and a question before the collectives are initialised."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
session = tf.Session()  # opened too early: told at the first line, nobody saw it being opened

from npu_bridge.npu_init import get_rank_id, tf  # noqa: E402

tf = tf.compat.v1
session.close()
try:
    get_rank_id()
except ValueError as error:
    print(error)
with tf.Session() as session:
    session.run(tf.constant(1.0))
