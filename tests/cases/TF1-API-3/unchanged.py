#### a table of the network
import tensorflow as tf

def model_fn(features):
    table = tf.contrib.lookup.index_table_from_file('vocabulary.txt')
    ids = table.lookup(features)
    static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(a, b), -1)
    return ids
#### findings
4 manual
6 manual
#### a table of the input pipeline
import tensorflow as tf

def parse(line):
    table = tf.contrib.lookup.index_table_from_file('vocabulary.txt')
    return table.lookup(line)

dataset = tf.data.TextLineDataset(files).map(parse)
#### embeddings are not tables
import tensorflow as tf
x = tf.nn.embedding_lookup(weights, ids)
#### somebody else's
from other import lookup
lookup.StaticHashTable(1)
