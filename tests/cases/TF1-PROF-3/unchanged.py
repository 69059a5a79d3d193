#### reported once a file
import tensorflow as tf
from tensorflow.python.client import timeline
stats = tf.profiler.profile(graph, options=options)
tl = timeline.Timeline(run_metadata.step_stats)
tf.profiler.profile(graph)
#### findings
3 info
#### other profilers
import cProfile
import tensorflow as tf
cProfile.run('main()')
profiler.profile(graph)
#### builders of options say nothing
import tensorflow as tf
options = tf.profiler.ProfileOptionBuilder.float_operation()
#### a module of the project
from tools import timeline
timeline.Timeline(1)
