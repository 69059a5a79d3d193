#### nobody looks at the result
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore("model.ckpt")
checkpoint.restore(tf.train.latest_checkpoint("out"))
#### findings
4 info
