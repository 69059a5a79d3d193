#### several devices, one iteration a run: they work as ever
import tensorflow as tf
tf.summary.scalar('loss', loss)
tf.summary.image('image', image)
merged = tf.summary.merge_all()
#### with distributed=horovod
#### one device, one iteration a run: they work as ever
import tensorflow as tf
tf.summary.scalar('loss', loss)
merged = tf.summary.merge_all()
#### several iterations on the device
import tensorflow as tf
tf.summary.scalar('loss', loss)
merged = tf.summary.merge_all()
#### with npu.iterations_per_loop=100
#### findings
2 manual
#### several iterations of an Estimator are reported with its EstimatorSpec
import tensorflow as tf

def model_fn(features, labels, mode):
    tf.summary.scalar('loss', loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### with npu.iterations_per_loop=100
#### on one rank only: reported with all operators that only some ranks build
import horovod.tensorflow as hvd
import tensorflow as tf
if hvd.rank() == 0:
    tf.summary.scalar('loss', loss)
#### with distributed=horovod
#### another condition
import tensorflow as tf
if FLAGS.summaries:
    tf.summary.scalar('loss', loss)
#### somebody else's summaries
from tensorboardX import summary
summary.scalar('loss', 1)
#### a writer alone
import tensorflow as tf
writer = tf.summary.FileWriter('logs', graph)
#### values made in Python
import tensorflow as tf
tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=loss)])
