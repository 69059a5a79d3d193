#### a remark a file
import tensorflow as tf
tf.summary.scalar('loss', loss)
tf.summary.image('image', image)
merged = tf.summary.merge_all()
#### findings
2 info
#### on one rank only
import horovod.tensorflow as hvd
import tensorflow as tf
if hvd.rank() == 0:
    tf.summary.scalar('loss', loss)
else:
    tf.summary.histogram('loss', loss)
#### findings
4 manual
6 manual
#### on one rank only, migrated by hand
import tensorflow as tf
from hccl.manage.api import get_rank_id
if get_rank_id() == 0:
    tf.summary.scalar('loss', loss)
#### findings
4 manual
#### writing on one rank is right
import horovod.tensorflow as hvd
import tensorflow as tf
if hvd.rank() == 0:
    writer = tf.summary.FileWriter('logs')
    writer.add_summary(summary, step)
#### a function made on one rank is built when it is called
import horovod.tensorflow as hvd
import tensorflow as tf
if hvd.rank() == 0:
    def write(loss):
        tf.summary.scalar('loss', loss)
#### findings
5 info
#### another condition
import tensorflow as tf
if FLAGS.summaries:
    tf.summary.scalar('loss', loss)
#### findings
3 info
#### somebody else's summaries
from tensorboardX import summary
summary.scalar('loss', 1)
#### a writer alone
import tensorflow as tf
writer = tf.summary.FileWriter('logs', graph)
#### values made in Python
import tensorflow as tf
tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=loss)])
