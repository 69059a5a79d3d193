#### an epoch that counts a smaller last batch, in all spellings
import math
import tensorflow as tf
import numpy as np

dataset = tf.data.Dataset.from_tensor_slices(train_images).shuffle(9).batch(params.batch_size)
train_steps = (params.train_size + params.batch_size - 1) // params.batch_size
train_batches = (params.batch_size + len(train) - 1) // params.batch_size
args.train_batch_num = int(math.ceil(float(args.train_img_cnt) / args.batch_size))
train_iters = int(np.ceil(n_train / float(batch_size)))
sess = tf.Session()
#### after
import math
import tensorflow as tf
import numpy as np

dataset = tf.data.Dataset.from_tensor_slices(train_images).shuffle(9).batch(params.batch_size)
train_steps = params.train_size // params.batch_size
train_batches = len(train) // params.batch_size
args.train_batch_num = args.train_img_cnt // args.batch_size
train_iters = n_train // batch_size
sess = tf.Session()
#### findings
6 auto
7 auto
8 auto
9 auto
#### an epoch that devices share
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(FLAGS.batch_size)


def train(images, train_size):
    num_epochs = 3
    num_steps = (train_size + FLAGS.batch_size - 1) // FLAGS.batch_size
    num_batches = int(train_size / FLAGS.batch_size)
    with tf.Session() as sess:
        sess.run(step)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(train_images).batch(FLAGS.batch_size)


def train(images, train_size):
    num_epochs = 3
    num_steps = train_size // (FLAGS.batch_size * int(os.getenv('RANK_SIZE', '1')))
    num_batches = int(train_size / (FLAGS.batch_size * int(os.getenv('RANK_SIZE', '1'))))
    with tf.Session() as sess:
        sess.run(step)
#### findings
8 auto
9 auto
#### a dataset without an end has every step, also the last
import math
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(train_images).repeat().batch(batch_size)
train_steps = math.ceil(len(train) / batch_size)
train_batches = (n_train + batch_size - 1) // batch_size
sess = tf.Session()
#### with distributed=tf_strategy
#### after
import math
import os
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(train_images).repeat().batch(batch_size)
train_steps = math.ceil(len(train) / (batch_size * int(os.getenv('RANK_SIZE', '1'))))
train_batches = (n_train + (batch_size * int(os.getenv('RANK_SIZE', '1'))) - 1) // (batch_size * int(os.getenv('RANK_SIZE', '1')))
sess = tf.Session()
#### findings
5 auto
6 auto
