#### before the dataset that will be sharded
import tensorflow as tf

def main(_):
    step = tf.train.get_or_create_global_step()
    images = tf.data.TFRecordDataset(files).make_one_shot_iterator().get_next()
    op = tf.train.AdamOptimizer().minimize(images)

if __name__ == '__main__':
    tf.app.run()
#### with distributed=tf_strategy
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource

def main(_):
    step = tf.train.get_or_create_global_step()
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)
    images = tf.data.TFRecordDataset(files).make_one_shot_iterator().get_next()
    op = tf.train.AdamOptimizer().minimize(images)

if __name__ == '__main__':
    tf.app.run()
#### findings
5 auto
#### in other files, with options
import tensorflow as tf
import data
x = data.load()
model = tf.keras.Sequential()
model.fit(x)
#### file data.py
import tensorflow as tf
def load():
    return tf.data.Dataset.from_tensor_slices([1])
#### with distributed=tf_strategy npu.precision_mode=allow_mix_precision
#### after
import atexit
import tensorflow as tf
import data
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
from npu_options import session_config
npu_sess, npu_shutdown = init_resource(config=session_config())
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
x = data.load()
model = tf.keras.Sequential()
model.fit(x)
