#### a variable in a function given by name
import tensorflow as tf


def parse(line):
    scale = tf.get_variable('scale', [])
    return line * scale


d = tf.data.TextLineDataset('x').map(parse)
#### findings
5 manual
#### in a function that a lambda calls
import tensorflow as tf


def scaled(x):
    return x * tf.Variable(2.0)


d = tf.data.TextLineDataset('x').map(lambda x: scaled(x))
#### findings
5 manual
#### through functools.partial
import functools
import tensorflow as tf


def scaled(x, by):
    return x * tf.Variable(by)


d = tf.data.TextLineDataset('x').flat_map(functools.partial(scaled, by=2.0))
#### findings
6 manual
#### handed over in another file
import tensorflow as tf


def parse(line):
    return line * tf.Variable(2.0)
#### file train.py
import tensorflow as tf
from main import parse

d = tf.data.TextLineDataset('x').interleave(parse, 4)
#### findings
5 manual
#### a method given as a callback
import tensorflow as tf


class Reader:
    def __init__(self):
        self.table = tf.contrib.lookup.index_table_from_file('words')

    def parse(self, line):
        return tf.Variable(1.0) * line

    def dataset(self):
        return tf.data.TextLineDataset('x').map(self.parse)
#### findings
9 manual
#### a lookup table
import tensorflow as tf
table = tf.lookup.StaticHashTable(init, -1)
d = tf.data.TextLineDataset('x').map(lambda x: table.lookup(x))
#### findings
3 manual
#### variables of the network
import tensorflow as tf


def model(x):
    return x * tf.get_variable('w', [])
#### a function that the network uses too
import tensorflow as tf


def scaled(x):
    return x * tf.get_variable('w', [])


d = tf.data.TextLineDataset('x').map(lambda x: scaled(x))
y = scaled(d)
#### Python's map
import tensorflow as tf


def make(n):
    return tf.Variable(n)


values = list(map(make, [1, 2]))
