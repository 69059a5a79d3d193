#### an input function that shards by its context
import tensorflow as tf
def input_fn(input_context=None):
    dataset = tf.data.Dataset.range(9)
    if input_context:
        dataset = dataset.shard(input_context.num_input_pipelines,
                                input_context.input_pipeline_id)
    return dataset
#### findings
5 manual
#### two functions are two places
import tensorflow as tf
def a(ctx):
    return ctx.get_per_replica_batch_size(32)
def b(ctx):
    return ctx.input_pipeline_id
#### findings
3 manual
5 manual
#### a replica context
import tensorflow as tf
ctx = tf.distribute.get_replica_context()
g = ctx.all_reduce(op, g)
#### findings
2 manual
#### the current strategy
from tensorflow.python.distribute import distribution_strategy_context as ds
import tensorflow as tf
if tf.distribute.has_strategy():
    s = tf.distribute.get_strategy()
#### findings
3 manual
4 manual
#### an input context that is only handed on
import tensorflow as tf
def input_fn(input_context=None):
    return make(input_context)
#### something known to be else
import tensorflow as tf
class Pipe(object):
    num_input_pipelines = 3
    def go(self):
        return tf.constant(1)
x = tf.constant(3)
#### a store is the user's own
import tensorflow as tf
def f(o):
    o.input_pipeline_id = 3
#### a word in a string
import tensorflow as tf
x = 'num_input_pipelines'
#### a context that is passed on
import tensorflow as tf
def input_fn(input_context=None):
    if input_context:
        log(input_context)
        return dataset.shard(
            input_context.num_input_pipelines, input_context.input_pipeline_id)
#### with distributed=tf_strategy
#### findings
6 manual
#### a context without a default
import tensorflow as tf
def input_fn(input_context):
    return dataset.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
#### with distributed=tf_strategy
#### findings
3 manual
