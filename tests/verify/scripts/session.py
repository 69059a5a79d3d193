"""A linear model in a plain session: a loss with an odd name, summaries, a checkpoint."""

import sys

import numpy as np

try:
    import tensorflow.compat.v1 as tf
except ImportError:
    import tensorflow as tf

tf.disable_eager_execution() if hasattr(tf, "disable_eager_execution") else None

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
with tf.device("/gpu:0"):
    weights = tf.get_variable("weights", [3, 1])
    predicted = tf.squeeze(tf.matmul(x, weights), 1)
    cost = tf.reduce_mean(tf.square(predicted - y))
train_op = tf.train.AdamOptimizer(0.1).minimize(cost)
tf.summary.scalar("seen", cost)
merged = tf.summary.merge_all()
saver = tf.train.Saver()
config = tf.ConfigProto()
config.gpu_options.visible_device_list = "0"

altered_at = int(sys.argv[1]) if len(sys.argv) > 1 else None
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs")
    for step in range(1, 9):
        features = np.random.rand(4, 3)
        if step == altered_at:
            features *= 2
        _, c, summary = sess.run([train_op, cost, merged], {x: features, y: np.ones(4)})
        writer.add_summary(summary, step)
        print(f"step {step}: {c:.6f}")
    sess.run(train_op, {x: np.ones((1, 3)), y: np.ones(1)})
    # a name that ends in a slash is odd, and found in published projects
    saver.save(sess, "model/")
    writer.close()
