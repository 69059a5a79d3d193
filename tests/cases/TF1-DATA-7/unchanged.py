#### worth knowing
import tensorflow as tf
dataset = tf.data.Dataset.range(3)
a = dataset.make_one_shot_iterator()
b = tf.data.make_one_shot_iterator(dataset)
c = tf.compat.v1.data.make_one_shot_iterator(dataset)
#### findings
3 info
4 info
5 info
#### in the way when several steps run at once
import tensorflow as tf
a = tf.data.Dataset.range(3).make_one_shot_iterator()
#### with npu.iterations_per_loop=10
#### findings
2 manual
#### initialisable iterators
import tensorflow as tf
dataset = tf.data.Dataset.range(3)
a = dataset.make_initializable_iterator()
b = tf.data.make_initializable_iterator(dataset)
#### somebody else's iterator
import mylib
a = mylib.Loader().make_one_shot_iterator()
#### one step at a time was requested
import tensorflow as tf
a = tf.data.Dataset.range(3).make_one_shot_iterator()
#### with npu.iterations_per_loop=1
#### findings
2 info
