#### an operation that is not known
import tensorflow as tf
strategy = tf.distribute.get_strategy()
total = strategy.reduce(how, counts, axis=None)
#### with distributed=tf_strategy
#### findings
3 manual
#### on one device
import tensorflow as tf
strategy = tf.distribute.get_strategy()
loss = strategy.reduce('MEAN', losses, axis=None)
#### of evaluation, which every rank does on all samples
import tensorflow as tf
strategy = tf.distribute.get_strategy()
def eval_step(inputs):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(test, args=(inputs,)), axis=None)
#### with distributed=tf_strategy
#### reduced already
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
loss = npu_device.distribute.all_reduce(strategy.reduce('MEAN', losses, axis=None), 'mean')
#### with distributed=tf_strategy
#### functools has one too
import functools
import tensorflow as tf
total = functools.reduce(add, values)
#### with distributed=tf_strategy
#### a dataset has one too
import tensorflow as tf
total = tf.data.Dataset.range(8).reduce(0, lambda a, b: a + b)
#### with distributed=tf_strategy
