#### a list of both
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
#### after
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
#### findings
4 auto
#### iterator first, feed for both, comment kept
import tensorflow as tf
dataset = tf.data.Dataset.from_tensor_slices(x)
iterator = dataset.make_initializable_iterator()
init = tf.global_variables_initializer()
local = tf.local_variables_initializer()
sess = tf.Session()
sess.run((iterator.initializer, init, local),  # once
         feed_dict={x: data})
#### after
import tensorflow as tf
dataset = tf.data.Dataset.from_tensor_slices(x)
iterator = dataset.make_initializable_iterator()
init = tf.global_variables_initializer()
local = tf.local_variables_initializer()
sess = tf.Session()
sess.run([init, local], feed_dict={x: data})
sess.run(iterator.initializer,  # once
         feed_dict={x: data})
#### a group made on the spot
import tensorflow as tf
iterator = tf.data.Iterator.from_structure(types, shapes)
train_init = iterator.make_initializer(dataset)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.tables_initializer(), train_init))
#### after
import tensorflow as tf
iterator = tf.data.Iterator.from_structure(types, shapes)
train_init = iterator.make_initializer(dataset)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    sess.run(train_init)
#### a group that is run later
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
init_op = tf.group(tf.global_variables_initializer(),
                   tf.local_variables_initializer(),
                   iterator.initializer)
with tf.Session() as sess:
    sess.run(init_op)
    sess.run(train_op)
#### after
import tensorflow as tf
iterator = tf.data.make_initializable_iterator(dataset)
init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
with tf.Session() as sess:
    sess.run(init_op)
    sess.run(iterator.initializer)
    sess.run(train_op)
