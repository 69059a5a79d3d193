#### a script that trains
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss)
more = opt.minimize(other)
#### findings
3 info
#### an Estimator that trains
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn)
estimator.train(input_fn)
#### findings
3 info
#### a module that is imported
import tensorflow as tf
train_op = tf.train.AdamOptimizer(lr).minimize(loss)
#### with entry=
#### a mode was requested
import tensorflow as tf
train_op = tf.train.AdamOptimizer(lr).minimize(loss)
#### with npu.precision_mode=force_fp32
#### the script sets a mode
import tensorflow as tf
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
train_op = tf.train.AdamOptimizer(lr).minimize(loss)
#### a script that only evaluates
import tensorflow as tf
with tf.Session() as sess:
    sess.run(logits)
