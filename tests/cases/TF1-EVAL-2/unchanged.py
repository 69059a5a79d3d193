#### a script that restores and runs
import tensorflow as tf
sess = tf.Session()
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
print(sess.run(logits))
#### findings
4 info
#### an Estimator that only predicts
import tensorflow as tf
est = tf.estimator.Estimator(model_fn)
for result in est.predict(input_fn):
    print(result)
#### findings
3 info
#### it trains as well
import tensorflow as tf
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
train_op = tf.train.AdamOptimizer().minimize(loss)
#### the mode is set already
import tensorflow as tf
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
custom_op.parameter_map["graph_run_mode"].i = 0
#### the mode was requested
import tensorflow as tf
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
#### with npu.graph_run_mode=0
#### a module that others import
import tensorflow as tf
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
#### with entry=
#### an export script
import tensorflow as tf
saver = tf.train.Saver()
saver.restore(sess, 'model.ckpt')
tf.saved_model.simple_save(sess, 'out', {}, {})
#### somebody else's restore
import mylib
mylib.Saver().restore('x')
