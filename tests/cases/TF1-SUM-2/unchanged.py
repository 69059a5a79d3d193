#### in a program with a session
import tensorflow as tf
loss = tf.Print(loss, [loss])
with tf.Session() as sess:
    sess.run(loss)
#### findings
2 manual
#### in a model
import tensorflow as tf

def model_fn(features):
    op = tf.print(features)
    other = tf.print(features)
    return op
#### findings
4 info
#### in the input pipeline it runs on the host
import tensorflow as tf

def parse(record):
    return tf.Print(record, [record])

dataset = tf.data.TFRecordDataset(files).map(parse)
#### Python's own
from __future__ import print_function
import tensorflow as tf
print(tf.constant(1))
#### somebody else's
from other import Print
Print(1)
