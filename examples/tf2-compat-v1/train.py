"""Train a regression with sessions under TensorFlow 2."""
import argparse
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FEATURES = 8


def batches(count, size):
    rng = np.random.RandomState(5)
    weights = rng.randn(FEATURES, 1).astype("float32")
    for _ in range(count):
        x = rng.randn(size, FEATURES).astype("float32")
        yield x, x.dot(weights) + 0.05 * rng.randn(size, 1).astype("float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--output", default="model")
    args = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    tf.set_random_seed(11)

    x = tf.placeholder(tf.float32, [args.batch_size, FEATURES], name="x")
    y = tf.placeholder(tf.float32, [args.batch_size, 1], name="y")
    hidden = tf.layers.dense(x, 16, activation=tf.nn.relu)
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(hidden, 1))
    train_op = tf.train.AdamOptimizer(1e-2).minimize(loss)
    saver = tf.train.Saver()

    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        for step, (inputs, targets) in enumerate(batches(args.steps, args.batch_size), 1):
            _, value = sess.run([train_op, loss], feed_dict={x: inputs, y: targets})
            if step % 10 == 0:
                print("step %d: loss %.5f" % (step, value))
        os.makedirs(args.output, exist_ok=True)
        saver.save(sess, os.path.join(args.output, "model.ckpt"))


if __name__ == "__main__":
    main()
