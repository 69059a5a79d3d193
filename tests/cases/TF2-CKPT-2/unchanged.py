#### said already, or looked at
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore("model.ckpt").expect_partial()
status = checkpoint.restore("model.ckpt")
checkpoint.restore("model.ckpt").assert_consumed()
#### weights
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.load_weights("model.h5")
