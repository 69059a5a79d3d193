#### in a variable it is reported
import tensorflow as tf
hook = tf.train.ProfilerHook(save_steps=100)
estimator.train(input_fn, hooks=[hook])
#### findings
2 manual
#### a pair is not a list of hooks
import tensorflow as tf
first = ('profiler', tf.train.ProfilerHook(10))
#### findings
2 manual
#### returned
import tensorflow as tf

def make():
    return tf.train.ProfilerHook(10)
#### findings
4 manual
#### other hooks
import tensorflow as tf
hooks = [tf.train.LoggingTensorHook(['loss'], 10), tf.train.StopAtStepHook(1)]
#### somebody else's hook
from hooks import ProfilerHook
hooks = [ProfilerHook(10)]
#### appended to something whose result is used
import tensorflow as tf
count = queue.append(tf.train.ProfilerHook(10))
#### findings
2 manual
#### a class that derives from it
import tensorflow as tf

class Hook(tf.train.ProfilerHook):
    pass
#### only mentioned
import tensorflow as tf
hook = tf.train.ProfilerHook
