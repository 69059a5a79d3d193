#### a word that only a run knows
import tensorflow as tf
def is_training(features):
    return tf.equal(features['phase'], tf.constant('train'))
#### findings
3 blocker
#### a placeholder whose string is used elsewhere too
import tensorflow as tf
path = tf.placeholder(tf.string, [])
is_empty = tf.equal(path, '')
image = tf.image.decode_png(tf.read_file(path))
#### findings
3 blocker
#### a placeholder that goes out of sight
import tensorflow as tf
inputs = [tf.placeholder(tf.string, [])]
build(inputs)
#### a placeholder for a path
import tensorflow as tf
path = tf.placeholder(tf.string, [])
image = tf.image.decode_png(tf.read_file(path))
#### a word that nobody is seen to give
import tensorflow as tf
def is_training(phase):
    return tf.equal(phase, tf.constant('train'))
#### findings
3 blocker
#### numbers
import tensorflow as tf
phase = tf.constant(1, tf.int8)
training = tf.equal(phase, tf.constant(1, tf.int8))
#### unknown tensors
import tensorflow as tf
correct = tf.equal(tf.argmax(logits, 1), labels)
#### Python strings compared in Python
import tensorflow as tf
if phase == 'train':
    pass
#### strings in the input pipeline
import tensorflow as tf
def keep(name):
    return tf.not_equal(name, '')
dataset = dataset.filter(keep)
#### somebody else's equal
import mylib as tf
tf.equal('a', tf.constant('a'))
#### feature columns that look strings up or hash them
import tensorflow as tf
fc = tf.feature_column
WORDS = ['Male', 'Female']
a = fc.categorical_column_with_vocabulary_list('gender', ['Male', 'Female'])
b = fc.categorical_column_with_vocabulary_list('gender', WORDS)
c = fc.categorical_column_with_hash_bucket('job', hash_bucket_size=1000)
d = fc.categorical_column_with_vocabulary_file(key='city', vocabulary_file='cities.txt')
e = fc.categorical_column_with_vocabulary_list('x', words, dtype=tf.string)
#### findings
4 blocker
5 blocker
6 blocker
7 blocker
8 blocker
#### feature columns of numbers
import tensorflow as tf
fc = tf.feature_column
a = fc.numeric_column('age')
b = fc.bucketized_column(a, boundaries=[18, 25])
c = fc.categorical_column_with_vocabulary_list('rooms', [1, 2, 3])
d = fc.categorical_column_with_hash_bucket('id', 1000, tf.int64)
e = fc.categorical_column_with_identity('kind', 4)
f = fc.categorical_column_with_vocabulary_list('x', words)
g = fc.categorical_column_with_vocabulary_file('city', 'ids.txt', dtype=tf.int64)
#### strings that the network hashes
import tensorflow as tf
from tensorflow.python.ops import string_ops


def model_fn(features, labels, mode):
    ids = string_ops.string_to_hash_bucket_fast(features['word'], 10)
    more = tf.strings.to_hash_bucket(features['other'], 10)
#### findings
6 blocker
7 blocker
#### strings that the input pipeline hashes
import tensorflow as tf


def decode(line):
    return tf.string_to_hash_bucket_fast(line, 10)


data = tf.data.TextLineDataset('a.txt').map(decode)
more = tf.data.TextLineDataset('a.txt').map(lambda line: tf.strings.to_hash_bucket_fast(line, 9))
#### strings that an input function hashes, perhaps behind a queue
import tensorflow as tf


def input_fn(lines):
    return tf.string_to_hash_bucket_fast(lines, 10)
#### findings
5 possible
