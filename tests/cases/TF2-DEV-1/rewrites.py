#### a GPU
import tensorflow as tf
with tf.device('/GPU:0'):
    y = network(x)
#### after
import tensorflow as tf
y = network(x)
#### findings
2 auto
#### a GPU by its full name
import tensorflow as tf
with tf.device('/device:GPU:1'):
    y = network(x)  # on the second
    z = y * 2
#### after
import tensorflow as tf
y = network(x)  # on the second
z = y * 2
#### findings
2 auto
#### beside something else
import tensorflow as tf
with tf.device('/gpu:0'), tf.GradientTape() as tape:
    y = network(x)
#### findings
2 info
#### the CPU
import tensorflow as tf
with tf.device('/CPU:0'):
    table = embed(ids)
with tf.device('CPU'):
    table = embed(ids)
#### findings
2 manual
