#### in a list
import tensorflow as tf
hooks = [tf.train.ProfilerHook(save_steps=100, output_dir='logs'), stop]
more = [stop, tf.estimator.ProfilerHook(10)]
alone = [tf.train.ProfilerHook(10)]
#### after
import tensorflow as tf
hooks = [stop]
more = [stop]
alone = []
#### findings
2 auto-check
3 auto-check
4 auto-check
#### appended to a list
import tensorflow as tf

def hooks(flags):
    found = []
    if flags.profile:
        # one in a thousand
        found.append(tf.train.ProfilerHook(save_steps=1000))
    return found
#### after
import tensorflow as tf

def hooks(flags):
    found = []
    # one in a thousand
    return found
#### given to training
import tensorflow as tf
estimator.train(input_fn, hooks=[
    tf.train.ProfilerHook(save_steps=100),  # slow
    tf.train.StopAtStepHook(1)])
#### after
import tensorflow as tf
# slow
estimator.train(input_fn, hooks=[
    tf.train.StopAtStepHook(1)])
