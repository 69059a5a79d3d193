#### a traced run
import tensorflow as tf
run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
run_metadata = tf.RunMetadata()
sess.run(op, options=run_options, run_metadata=run_metadata)
#### after
import tensorflow as tf
run_options = tf.RunOptions()
run_metadata = tf.RunMetadata()
sess.run(op, options=run_options, run_metadata=run_metadata)
#### findings
2 auto-check
#### other options stay
from tensorflow.core.protobuf import config_pb2
options = config_pb2.RunOptions(
    trace_level=config_pb2.RunOptions.SOFTWARE_TRACE,  # all of it
    report_tensor_allocations_upon_oom=True)
#### after
from tensorflow.core.protobuf import config_pb2
options = config_pb2.RunOptions(
    # all of it
    report_tensor_allocations_upon_oom=True)
#### a level that is set
import tensorflow as tf
options = tf.RunOptions()
if trace:
    options.trace_level = tf.RunOptions.FULL_TRACE
#### after
import tensorflow as tf
options = tf.RunOptions()
