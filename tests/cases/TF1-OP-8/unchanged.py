#### a Python function in the network
import tensorflow as tf
boxes = tf.py_func(match, [anchors], tf.float32)
more = tf.numpy_function(match, [anchors], tf.float32)
#### findings
2 manual
3 manual
#### in the input pipeline
import tensorflow as tf
def parse(record):
    return tf.py_func(decode, [record], tf.float32)
dataset = tf.data.TFRecordDataset(files).map(parse)
#### a function that looks like the pipeline's is only possible
import tensorflow as tf
def augment(image):
    return tf.py_func(rotate, [image], tf.float32)
#### findings
3 possible
#### a function of the project
import tensorflow as tf
def py_func(f, x):
    return f(x)
y = py_func(f, x)
