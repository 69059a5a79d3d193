#### fetched, then fed
import tensorflow as tf
iterator = tf.data.make_one_shot_iterator(dataset)
next_batch = iterator.get_next()
with tf.Session() as sess:
    for step in range(10):
        images, labels = sess.run(next_batch)
        sess.run(train_op, feed_dict={x: images, y: labels})
#### findings
6 info
#### fetched as a list
import tensorflow as tf
images, labels = dataset.make_one_shot_iterator().get_next()
def train(sess: tf.Session):
    pass
iterator = tf.data.make_one_shot_iterator(dataset)
a, b = iterator.get_next()
with tf.Session() as sess:
    batch = sess.run([a, b])
    sess.run(train_op, feed_dict={x: batch[0] / 255.0})
#### findings
8 info
#### fetched and looked at
import tensorflow as tf
iterator = tf.data.make_one_shot_iterator(dataset)
next_batch = iterator.get_next()
with tf.Session() as sess:
    print(sess.run(next_batch))
    batch = sess.run(next_batch)
#### fed from memory
import tensorflow as tf
with tf.Session() as sess:
    images = mnist.next_batch(8)
    sess.run(train_op, feed_dict={x: images})
#### a loss that is fed back
import tensorflow as tf
with tf.Session() as sess:
    value = sess.run(loss)
    sess.run(train_op, feed_dict={previous: value})
#### fed in another function
import tensorflow as tf
iterator = tf.data.make_one_shot_iterator(dataset)
next_batch = iterator.get_next()
sess = tf.Session()
def fetch():
    images = sess.run(next_batch)
    return images
def train():
    images = load()
    sess.run(train_op, feed_dict={x: images})
