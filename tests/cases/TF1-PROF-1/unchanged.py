#### no trace
import tensorflow as tf
options = tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE)
other = tf.RunOptions(trace_level=0)
#### another option
import tensorflow as tf
options = tf.RunOptions(report_tensor_allocations_upon_oom=True)
#### a level that cannot be seen
import tensorflow as tf
options = tf.RunOptions(trace_level=level)
#### somebody else's options
from other import RunOptions
options = RunOptions(trace_level=RunOptions.FULL_TRACE)
#### a function of the same name
import tensorflow as tf
run(trace_level=tf.RunOptions.FULL_TRACE)
#### somebody else's field
import tensorflow as tf
logger.trace_level = tf.RunOptions.FULL_TRACE
#### metadata alone
import tensorflow as tf
metadata = tf.RunMetadata()
#### options that are empty
import tensorflow as tf
options = tf.RunOptions()
