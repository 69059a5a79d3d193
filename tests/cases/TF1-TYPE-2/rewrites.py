#### a phase constant compared in the network
import tensorflow as tf
class Net:
    def __init__(self, phase):
        if phase == 'train':
            self._phase = tf.constant('train', dtype=tf.string)
        else:
            self._phase = tf.constant('test', dtype=tf.string)
    def is_training(self):
        return tf.equal(self._phase, tf.constant('train', dtype=tf.string))
#### after
import npu_text
import tensorflow as tf
class Net:
    def __init__(self, phase):
        if phase == 'train':
            self._phase = tf.constant('train', dtype=tf.string)
        else:
            self._phase = tf.constant('test', dtype=tf.string)
    def is_training(self):
        return npu_text.equal(self._phase, tf.constant('train', dtype=tf.string))
#### findings
9 auto
#### a string placeholder that is fed words
import tensorflow as tf
phase = tf.placeholder(tf.string, [], name='phase')
training = tf.not_equal(phase, 'test')
with tf.Session() as sess:
    sess.run(training, feed_dict={phase: 'train'})
#### after
import npu_text
import tensorflow as tf
phase = npu_text.placeholder(tf.string, [], name='phase')
training = npu_text.not_equal(phase, 'test')
with tf.Session() as sess:
    sess.run(training, feed_dict={phase: 'train'})
#### findings
2 auto
3 auto
#### a placeholder with a default
import tensorflow as tf
phase = tf.placeholder_with_default('train', [])
training = tf.equal(phase, 'train')
#### after
import npu_text
import tensorflow as tf
phase = npu_text.placeholder_with_default('train', [])
training = npu_text.equal(phase, 'train')
#### findings
2 auto
3 auto
#### a word that callers in another file give
import tensorflow as tf
def is_training(phase):
    if isinstance(phase, str):
        phase = tf.constant(phase, dtype=tf.string)
    return tf.equal(phase, tf.constant('train'))
#### file train.py
import main
main.is_training('train')
main.is_training('val')
#### after
import npu_text
import tensorflow as tf
def is_training(phase):
    if isinstance(phase, str):
        phase = tf.constant(phase, dtype=tf.string)
    return npu_text.equal(phase, tf.constant('train'))
#### findings
5 auto
#### a placeholder that a network in another file compares
import tensorflow as tf
import net
phase = tf.placeholder(dtype=tf.string, shape=None, name='phase')
model = net.Net(phase)
#### file net.py
import tensorflow as tf
class Net(object):
    def __init__(self, phase):
        self._phase = phase
    def is_training(self):
        return tf.equal(self._phase, tf.constant('train', dtype=tf.string))
#### after
import npu_text
import tensorflow as tf
import net
phase = npu_text.placeholder(dtype=tf.string, shape=None, name='phase')
model = net.Net(phase)
#### findings
3 auto
