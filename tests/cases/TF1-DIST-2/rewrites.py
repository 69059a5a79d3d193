#### an input function that shards by its context
import os
import tensorflow as tf
def input_fn(batch_size, input_context=None):
    dataset = tf.data.TFRecordDataset(files)
    if input_context is not None:
        dataset = dataset.shard(
            input_context.num_input_pipelines, input_context.input_pipeline_id)  # one each
        batch_size = input_context.get_per_replica_batch_size(batch_size)
    return dataset.batch(batch_size)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def input_fn(batch_size, input_context=None):
    dataset = tf.data.TFRecordDataset(files)
    if int(os.getenv('RANK_SIZE', '1')) > 1:
        dataset = dataset.shard(
            int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))  # one each
        batch_size = (batch_size // int(os.getenv('RANK_SIZE', '1')))
    return dataset.batch(batch_size)
#### findings
7 auto
#### the context as a test
import os
import tensorflow as tf
def input_fn(input_context=None):
    dataset = tf.data.TFRecordDataset(files)
    if input_context:
        dataset = dataset.shard(
            input_context.num_input_pipelines, input_context.input_pipeline_id)
    return dataset
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def input_fn(input_context=None):
    dataset = tf.data.TFRecordDataset(files)
    if int(os.getenv('RANK_SIZE', '1')) > 1:
        dataset = dataset.shard(
            int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
    return dataset
