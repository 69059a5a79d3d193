import tensorflow as tf


class Autoencoder(tf.keras.Model):
    def __init__(self, width, code=6):
        super().__init__()
        self.encoder = tf.keras.layers.Dense(code * 2, activation=tf.nn.gelu)
        self.dropout = tf.keras.layers.Dropout(0.1)
        self.code = tf.keras.layers.Dense(code)
        self.decoder = tf.keras.layers.Dense(width)

    def call(self, inputs, training=False):
        hidden = self.dropout(self.encoder(inputs), training=training)
        return self.decoder(tf.nn.relu(self.code(hidden)))
