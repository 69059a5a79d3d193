#### the block stays
import tensorflow as tf
with tf.device('/gpu:0'):
    x = f()
    y = g(x)
print(y)
#### after
import tensorflow as tf
x = f()
y = g(x)
print(y)
#### findings
2 auto
#### comments, blank lines, strings and nested blocks
import tensorflow as tf

def build(images):
    with tf.device("/device:GPU:1"):  # the second card
        # first
        x = f(images)

        if x:
            y = """text
        of its own
    indentation"""
        # last
    # after
    return y
#### after
import tensorflow as tf

def build(images):
    # the second card
    # first
    x = f(images)

    if x:
        y = """text
        of its own
    indentation"""
    # last
    # after
    return y
#### any alias
import tensorflow.compat.v1 as t
from tensorflow import device as on
with t.device('gpu'):
    a = f()
with on('/GPU:0'):
    b = f()
#### after
import tensorflow.compat.v1 as t
from tensorflow import device as on
a = f()
b = f()
#### findings
3 auto
5 auto
#### a device that is filled in
import tensorflow as tf

def build(gpu, number):
    with tf.device('/gpu:%d' % gpu):
        a = f()
    with tf.device('/device:GPU:{}'.format(gpu)):
        b = f()
    with tf.device(f'/gpu:{number}'):
        c = f()
    with tf.device('/gpu:' + str(gpu)):
        d = f()
#### after
import tensorflow as tf

def build(gpu, number):
    a = f()
    b = f()
    c = f()
    d = f()
#### a device in a variable
import tensorflow as tf
DEVICE = '/gpu:0'
with tf.device(DEVICE):
    a = f()
#### after
import tensorflow as tf
DEVICE = '/gpu:0'
a = f()
#### one of several items
import tensorflow as tf
with tf.device('/gpu:0'), tf.variable_scope('a'):
    a = f()
with tf.name_scope('b') as b, tf.device('/gpu:0'):
    c = f()
#### after
import tensorflow as tf
with tf.variable_scope('a'):
    a = f()
with tf.name_scope('b') as b:
    c = f()
#### nested scopes
import tensorflow as tf
with tf.device('/cpu:0'):
    with tf.device('/gpu:0'):
        a = f()
        with tf.device('/gpu:1'):
            b = f()
#### after
import tensorflow as tf
with tf.device('/cpu:0'):
    a = f()
    b = f()
#### on one line
import tensorflow as tf
with tf.device('/gpu:0'): x = f()
#### after
import tensorflow as tf
x = f()
#### not in a with statement
import tensorflow as tf
stack.enter_context(tf.device("/gpu:0"))

@tf.device('/gpu:0')
def build():
    return f()
#### after
import tensorflow as tf
stack.enter_context(tf.device("/cpu:0"))

@tf.device('/cpu:0')
def build():
    return f()
#### the method of a graph
import tensorflow as tf
graph = tf.Graph()
with graph.as_default(), graph.device('/gpu:0'):
    x = f()
#### after
import tensorflow as tf
graph = tf.Graph()
with graph.as_default():
    x = f()
#### a header over several lines
import tensorflow as tf
with tf.device(
        '/gpu:0'  # there is but one
):
  x = f(
a)
#### after
import tensorflow as tf
# there is but one
x = f(
a)
#### a blank line under the header
import tensorflow as tf

with tf.device('/gpu:0'):

    x = f()
#### after
import tensorflow as tf

x = f()
#### a long block keeps its scope
import tensorflow as tf
with tf.device('/gpu:0'):
    x0 = f()
    x1 = f()
    x2 = f()
    x3 = f()
    x4 = f()
    x5 = f()
    x6 = f()
    x7 = f()
    x8 = f()
    x9 = f()
    x10 = f()
    x11 = f()
    x12 = f()
    x13 = f()
    x14 = f()
    x15 = f()
    x16 = f()
    x17 = f()
    x18 = f()
    x19 = f()
    x20 = f()
    x21 = f()
    x22 = f()
    x23 = f()
    x24 = f()
    x25 = f()
    x26 = f()
    x27 = f()
    x28 = f()
    x29 = f()
    x30 = f()
    x31 = f()
    x32 = f()
    x33 = f()
    x34 = f()
    x35 = f()
    x36 = f()
    x37 = f()
    x38 = f()
    x39 = f()
    x40 = f()
    x41 = f()
    x42 = f()
    x43 = f()
    x44 = f()
    x45 = f()
    x46 = f()
    x47 = f()
    x48 = f()
    x49 = f()
    x50 = f()
    x51 = f()
    x52 = f()
    x53 = f()
    x54 = f()
    x55 = f()
    x56 = f()
    x57 = f()
    x58 = f()
    x59 = f()
    x60 = f()
    x61 = f()
    x62 = f()
    x63 = f()
    x64 = f()
    x65 = f()
    x66 = f()
    x67 = f()
    x68 = f()
    x69 = f()
#### after
import tensorflow as tf
with tf.device('/cpu:0'):
    x0 = f()
    x1 = f()
    x2 = f()
    x3 = f()
    x4 = f()
    x5 = f()
    x6 = f()
    x7 = f()
    x8 = f()
    x9 = f()
    x10 = f()
    x11 = f()
    x12 = f()
    x13 = f()
    x14 = f()
    x15 = f()
    x16 = f()
    x17 = f()
    x18 = f()
    x19 = f()
    x20 = f()
    x21 = f()
    x22 = f()
    x23 = f()
    x24 = f()
    x25 = f()
    x26 = f()
    x27 = f()
    x28 = f()
    x29 = f()
    x30 = f()
    x31 = f()
    x32 = f()
    x33 = f()
    x34 = f()
    x35 = f()
    x36 = f()
    x37 = f()
    x38 = f()
    x39 = f()
    x40 = f()
    x41 = f()
    x42 = f()
    x43 = f()
    x44 = f()
    x45 = f()
    x46 = f()
    x47 = f()
    x48 = f()
    x49 = f()
    x50 = f()
    x51 = f()
    x52 = f()
    x53 = f()
    x54 = f()
    x55 = f()
    x56 = f()
    x57 = f()
    x58 = f()
    x59 = f()
    x60 = f()
    x61 = f()
    x62 = f()
    x63 = f()
    x64 = f()
    x65 = f()
    x66 = f()
    x67 = f()
    x68 = f()
    x69 = f()
