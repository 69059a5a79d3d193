#### one GPU by default
import tensorflow as tf
tf.app.flags.DEFINE_integer('num_gpus', 1, 'GPUs')
for i in range(tf.app.flags.FLAGS.num_gpus):
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(loss)
#### findings
3 info
#### one turn
import tensorflow as tf
for i in range(1):
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(loss)
#### a loop that does not choose devices
import tensorflow as tf
for i in range(4):
    with tf.device('/gpu:0'):
        g = opt.compute_gradients(loss)
#### a loop that does not train
import tensorflow as tf
for i in range(4):
    with tf.device('/gpu:%d' % i):
        y = tf.matmul(a, b)
#### the list of GPUs is known at run time only
import os
import tensorflow as tf
gpus = os.environ['CUDA_VISIBLE_DEVICES'].split(',')
for i, gpu in enumerate(gpus):
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(loss)
#### findings
4 manual
#### the number is in a configuration file
import tensorflow as tf
from config import CFG
for i in range(CFG.TRAIN.GPU_NUM):
    with tf.device('/gpu:{:d}'.format(i)):
        g = opt.compute_gradients(loss)
#### findings
3 manual
#### a helper computes the gradients
import tensorflow as tf
from config import CFG
for i in range(CFG.TRAIN.GPU_NUM):
    with tf.device('/gpu:{:d}'.format(i)):
        out = compute_net_gradients(images, i == 0)
#### findings
3 manual
#### the flag is another file's
import tensorflow as tf
import settings
for i in range(tf.app.flags.FLAGS.num_gpus):
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(loss)
#### file settings.py
import tensorflow as tf
tf.app.flags.DEFINE_integer('num_gpus', 2, 'GPUs')
#### findings
3 manual
#### somebody else's device
from lights import device
for i in range(3):
    with device('/gpu:%d' % i):
        opt.compute_gradients(1)
#### no loop
import tensorflow as tf
with tf.device('/gpu:0'):
    g = opt.compute_gradients(loss)
#### the loop is another function's
import tensorflow as tf
for i in range(4):
    def tower():
        with tf.device('/gpu:%d' % i):
            return opt.compute_gradients(loss)
#### a loop that averages what towers computed
import tensorflow as tf
for i, grads in enumerate(zip(*tower_grads)):
    with tf.device('/gpu:%d' % (i % 2)):
        averaged.append(tf.reduce_mean(tf.stack([g for g, _ in grads]), 0))
#### a loop that calls the function that averages
import tensorflow as tf
for i in range(4):
    with tf.device('/gpu:%d' % i):
        averaged.append(average_gradients(tower_grads[i]))
