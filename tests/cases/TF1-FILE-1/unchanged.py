#### a file that nothing reads
import json
import tensorflow as tf


def train(args):
    with open('args.json', 'w') as f:
        json.dump(args, f)
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### one device
import os
import tensorflow as tf


def train(args):
    if not os.path.exists('words.txt'):
        with open('words.txt', 'w') as f:
            f.write('a')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=none
#### a file that is read only
import os
import tensorflow as tf


def train(args):
    if os.path.exists('words.txt'):
        with open('words.txt') as f:
            words = f.read()
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### lines that are added to a log
import os
import tensorflow as tf


def train(args):
    if os.path.exists('log.txt'):
        print('going on')
    with open('log.txt', 'a') as f:
        f.write('a')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### rank 0 writes it
import os
import tensorflow as tf


def train(args):
    if not os.path.exists('words.txt') and os.getenv('RANK_ID', '0') == '0':
        with open('words.txt', 'w') as f:
            f.write('a')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### each rank has its own
import os
import tensorflow as tf


def train(args):
    path = 'words_%s.txt' % os.getenv('RANK_ID', '0')
    if not os.path.exists(path):
        with open(path, 'w') as f:
            f.write('a')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### a program that prepares data
import os


def main():
    if not os.path.exists('words.txt'):
        with open('words.txt', 'w') as f:
            f.write('a')


main()
#### file train.py
import tensorflow as tf
train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
#### a file object that is kept, and arrays that are saved in one
import os
import numpy as np
import tensorflow as tf


def train(args):
    f = open('a.npy', 'wb')
    np.save(f, args)
    if os.path.exists('a.npy'):
        np.load('a.npy')
    train_op = tf.train.AdamOptimizer().minimize(loss)
#### with distributed=tf_strategy
