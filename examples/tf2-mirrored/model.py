import tensorflow as tf


class Residual(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = tf.keras.layers.Dense(units, activation='relu')
        self.out = tf.keras.layers.Dense(units)

    def call(self, x):
        return x + self.out(self.dense(x))


def create_model(features, classes):
    return tf.keras.Sequential([
        tf.keras.layers.Dense(32),
        Residual(32),
        tf.keras.layers.LayerNormalization(),
        tf.keras.layers.Dense(classes),
    ])
