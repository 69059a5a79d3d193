#### a signature
import tensorflow as tf
step = tf.function(train_step, signature)
#### after
import tensorflow as tf
step = tf.function(train_step, input_signature=signature)
#### findings
2 auto
#### a signature in place
import tensorflow as tf
step = tf.function(train_step, [tf.TensorSpec([8, 3], tf.float32)])
#### after
import tensorflow as tf
step = tf.function(train_step, input_signature=[tf.TensorSpec([8, 3], tf.float32)])
#### findings
2 auto
#### and autograph
import tensorflow as tf
step = tf.function(train_step, None, False)
#### after
import tensorflow as tf
step = tf.function(train_step, input_signature=None, autograph=False)
#### findings
2 auto
#### more than releases agree on
import tensorflow as tf
step = tf.function(train_step, None, True, False)
#### findings
2 manual
