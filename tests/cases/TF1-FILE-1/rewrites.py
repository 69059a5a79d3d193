#### a vocabulary that is kept for the next run
import os
import pickle
import numpy as np
import tensorflow as tf


class Loader(object):
    def __init__(self, folder):
        vocab_file = os.path.join(folder, 'vocab.pkl')
        tensor_file = os.path.join(folder, 'data.npy')
        if not (os.path.exists(vocab_file) and os.path.exists(tensor_file)):
            self.preprocess(vocab_file, tensor_file)
        else:
            self.load(vocab_file, tensor_file)

    def preprocess(self, vocab_file, tensor_file):
        with open(vocab_file, 'wb') as f:
            pickle.dump(self.words, f)
        np.save(tensor_file, self.tensor)

    def load(self, vocab_file, tensor_file):
        with open(vocab_file, 'rb') as f:
            self.words = pickle.load(f)
        self.tensor = np.load(tensor_file)
#### file train.py
import tensorflow as tf
from main import Loader
from model import train_op
data = Loader('data')
tf.Session().run(train_op)
#### file model.py
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### after
import contextlib
import os
import pickle
import numpy as np
import tensorflow as tf


@contextlib.contextmanager
def npu_whole_file(opener, path, *more, **named):
    """Open a file that the ranks share; it takes its name when it is complete."""
    own = path
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        own = "%s.rank_%s" % (path, os.getenv("RANK_ID", "0"))
    with opener(own, *more, **named) as file:
        yield file
    if own != path:
        os.replace(own, path)


def npu_whole_array(save, path, *values, **named):
    """Save arrays in a file that the ranks share; it takes its name when it is complete."""
    if int(os.getenv("RANK_SIZE", "1")) == 1:
        return save(path, *values, **named)
    stem, suffix = os.path.splitext(path)
    own = "%s.rank_%s%s" % (stem, os.getenv("RANK_ID", "0"), suffix)
    save(own, *values, **named)
    for added in ("", ".npy", ".npz"):  # numpy adds one of these to a name without it
        if os.path.exists(own + added):
            os.replace(own + added, path + added)


class Loader(object):
    def __init__(self, folder):
        vocab_file = os.path.join(folder, 'vocab.pkl')
        tensor_file = os.path.join(folder, 'data.npy')
        if not (os.path.exists(vocab_file) and os.path.exists(tensor_file)):
            self.preprocess(vocab_file, tensor_file)
        else:
            self.load(vocab_file, tensor_file)

    def preprocess(self, vocab_file, tensor_file):
        with npu_whole_file(open, vocab_file, 'wb') as f:
            pickle.dump(self.words, f)
        npu_whole_array(np.save, tensor_file, self.tensor)

    def load(self, vocab_file, tensor_file):
        with open(vocab_file, 'rb') as f:
            self.words = pickle.load(f)
        self.tensor = np.load(tensor_file)
#### findings
17 auto
19 auto
#### words that a table reads from a file, in the function that trains
import codecs
import os
import tensorflow as tf


def train(folder):
    with codecs.open(os.path.join(folder, 'words.txt'), 'w', 'utf-8') as f:
        f.write('a')
    table = tf.contrib.lookup.index_table_from_file(folder + '/words.txt')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### after
import codecs
import contextlib
import os
import tensorflow as tf


@contextlib.contextmanager
def npu_whole_file(opener, path, *more, **named):
    """Open a file that the ranks share; it takes its name when it is complete."""
    own = path
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        own = "%s.rank_%s" % (path, os.getenv("RANK_ID", "0"))
    with opener(own, *more, **named) as file:
        yield file
    if own != path:
        os.replace(own, path)


def train(folder):
    with npu_whole_file(codecs.open, os.path.join(folder, 'words.txt'), 'w', 'utf-8') as f:
        f.write('a')
    table = tf.contrib.lookup.index_table_from_file(folder + '/words.txt')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### findings
7 auto
