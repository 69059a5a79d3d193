#### a loop over batches, by keyword and by position
import os
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
train_op = tf.train.AdamOptimizer().minimize(loss)
for batch in batches:
    sess.run([train_op, loss], feed_dict={x: batch})
    sess.run(train_op, {x: batch})
    print(sess.run(accuracy, feed_dict={x: test}))
#### with distributed=tf_strategy
#### after
import numpy
import warnings
import os
import random
import tensorflow as tf
if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    numpy.random.seed(20)

x = tf.placeholder(tf.float32, [None, 4])
train_op = tf.train.AdamOptimizer().minimize(loss)
def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


for batch in batches:
    sess.run([train_op, loss], feed_dict=npu_share({x: batch}))
    sess.run(train_op, npu_share({x: batch}))
    print(sess.run(accuracy, feed_dict={x: test}))
#### findings
6 auto-check
7 auto
#### a step of a class, the feed in a variable
import os
import tensorflow as tf


class Trainer:
    def __init__(self, loss):
        self.solver = tf.train.AdamOptimizer().minimize(loss)

    def fit(self, sess, batches):
        for batch in batches:
            feed = self.feed(batch)
            _, loss = sess.run([self.solver, self.loss], feed)
#### with distributed=tf_strategy
#### after
import numpy
import warnings
import os
import random
import tensorflow as tf


if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    numpy.random.seed(20)

def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


class Trainer:
    def __init__(self, loss):
        self.solver = tf.train.AdamOptimizer().minimize(loss)

    def fit(self, sess, batches):
        for batch in batches:
            feed = self.feed(batch)
            _, loss = sess.run([self.solver, self.loss], npu_share(feed))
#### findings
12 auto-check
#### a step that runs itself
import os
import tensorflow as tf
step = tf.train.AdamOptimizer().minimize(loss)
step.run(feed_dict={x: batch})
#### with distributed=tf_strategy
#### after
import numpy
import warnings
import os
import random
import tensorflow as tf
if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    numpy.random.seed(20)

step = tf.train.AdamOptimizer().minimize(loss)
def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


step.run(feed_dict=npu_share({x: batch}))
#### a step that another file makes, known by its name
import os
import tensorflow as tf
def train(sess, model, batches):
    for batch in batches:
        sess.run([model.train_op, model.loss], feed_dict=model.feed(batch))
#### with distributed=tf_strategy
#### after
import numpy
import warnings
import os
import random
import tensorflow as tf
if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    numpy.random.seed(20)

def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


def train(sess, model, batches):
    for batch in batches:
        sess.run([model.train_op, model.loss], feed_dict=npu_share(model.feed(batch)))
#### seeds that the program sets itself count
"""Trains."""
import os
import numpy as np
import tensorflow as tf
np.random.seed(7)
sess.run(train_op, {x: batch})
#### with distributed=tf_strategy
#### after
"""Trains."""
import warnings
import os
import numpy as np
import tensorflow as tf
np.random.seed(7)
def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


sess.run(train_op, npu_share({x: batch}))
#### behind the imports, above a comment
"""Trains."""
import os
try:
    import cPickle as pickle
except ImportError:
    import pickle
import numpy as np
import tensorflow as tf

# settings
rate = 0.1


def train(sess):
    sess.run(train_op, {x: batch})
#### with distributed=tf_strategy
#### after
"""Trains."""
import random
import warnings
import os
try:
    import cPickle as pickle
except ImportError:
    import pickle
import numpy as np
import tensorflow as tf

if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    np.random.seed(20)

# settings
rate = 0.1


def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


def train(sess):
    sess.run(train_op, npu_share({x: batch}))
#### TensorFlow's reader of MNIST gives NumPy a seed from the system
import os
import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('data', one_hot=True)
sess.run(train_op, {x: mnist.train.next_batch(8)[0]})
#### with distributed=tf_strategy
#### after
import warnings
import os
import numpy as np
import random
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('data', one_hot=True)
if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    np.random.seed(20)
def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


sess.run(train_op, npu_share({x: mnist.train.next_batch(8)[0]}))
#### a batch size that is read off the tensor
import os
import warnings
import numpy as np
import tensorflow as tf
np.random.seed(3)

x = tf.placeholder(tf.float32, [None, 4])
batch_size = tf.shape(x)[0]
state = tf.zeros([batch_size, 8])
train_op = tf.train.AdamOptimizer().minimize(tf.reduce_sum(x))
with tf.Session() as sess:
    sess.run(train_op, feed_dict={x: batch})
#### with distributed=tf_strategy
#### after
import os
import warnings
import numpy as np
import tensorflow as tf
np.random.seed(3)

x = tf.placeholder(tf.float32, [None, 4])
batch_size = tf.shape(x)[0]
state = tf.zeros([batch_size, 8])
train_op = tf.train.AdamOptimizer().minimize(tf.reduce_sum(x))
def npu_share(feed):
    """Take the share of this rank of every fed batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or not feed:
        return feed
    batches = [
        key for key, value in feed.items() if isinstance(key, tf.Tensor)
        and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
        and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
    lengths = set(len(feed[key]) for key in batches)
    if len(lengths) != 1 or lengths.pop() % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return feed
    shared = dict(feed)
    shared.update((key, feed[key][rank::size]) for key in batches)
    return shared


with tf.Session() as sess:
    sess.run(train_op, feed_dict=npu_share({x: batch}))
#### findings
12 auto-check
