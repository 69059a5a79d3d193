#### one thread is tolerated
import tensorflow as tf
a = tf.train.batch([x], 32)
b = tf.train.batch([x], 32, num_threads=1)
#### findings
2 info
3 info
#### arguments nobody sees
import tensorflow as tf
a = tf.train.batch([x], 32, **options)
#### findings
2 manual
#### producers, readers and queues
import tensorflow as tf
queue = tf.train.string_input_producer(files)
_, record = tf.TFRecordReader().read(queue)
images = tf.train.shuffle_batch([record], batch_size=32, capacity=9, min_after_dequeue=3)
store = tf.FIFOQueue(3, tf.float32)
#### findings
2 manual
3 manual
4 manual
5 manual
#### slim's provider
from tensorflow.contrib import slim
provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=2)
#### findings
2 manual
#### threads that fill queues
import tensorflow as tf
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
#### findings
2 manual
3 manual
#### a coordinator of other threads
import tensorflow as tf
coord = tf.train.Coordinator()
#### Python's queues
import queue
import tensorflow as tf
q = queue.PriorityQueue()
#### datasets
import tensorflow as tf
d = tf.data.TFRecordDataset('x').shuffle(3)
#### a method of the same name
import tensorflow as tf


class Trainer:
    def batch(self, tensors, size, num_threads=2):
        return tensors


Trainer().batch([1], 2, num_threads=4)
#### test cases are left alone
import unittest
import tensorflow as tf


class QueueTest(unittest.TestCase):
    def test_queue(self):
        tf.FIFOQueue(3, tf.float32)
