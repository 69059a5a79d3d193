#### a program that trains and forks
import multiprocessing
from multiprocessing import Pool
import tensorflow as tf

def main():
    worker = multiprocessing.Process(target=load)
    pool = Pool(4)
    with tf.Session() as sess:
        sess.run(op)
#### findings
6 manual
#### a start method was chosen
import multiprocessing
import tensorflow as tf
multiprocessing.set_start_method('forkserver')
worker = multiprocessing.Process(target=load)
sess = tf.Session()
#### a program that only prepares data
import multiprocessing
import tensorflow as tf
pool = multiprocessing.Pool(4)
writer = tf.python_io.TFRecordWriter('a')
#### threads
from multiprocessing.pool import ThreadPool
from multiprocessing.dummy import Pool
import tensorflow as tf
pool = ThreadPool(4)
other = Pool(4)
sess = tf.Session()
#### somebody else's processes
import psutil
import tensorflow as tf
psutil.Process(1)
sess = tf.Session()
