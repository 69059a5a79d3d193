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
#### findings
9 blocker
#### a string placeholder
import tensorflow as tf
phase = tf.placeholder(tf.string, [], name='phase')
training = tf.not_equal(phase, 'test')
#### findings
3 blocker
#### numbers
import tensorflow as tf
phase = tf.constant(1, tf.int8)
training = tf.equal(phase, tf.constant(1, tf.int8))
#### unknown tensors
import tensorflow as tf
correct = tf.equal(tf.argmax(logits, 1), labels)
#### Python strings compared in Python
import tensorflow as tf
if phase == 'train':
    pass
#### strings in the input pipeline
import tensorflow as tf
def keep(name):
    return tf.not_equal(name, '')
dataset = dataset.filter(keep)
#### somebody else's equal
import mylib as tf
tf.equal('a', tf.constant('a'))
