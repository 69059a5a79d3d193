import tensorflow as tf
from tensorflow.keras import layers


def build_model(input_shape, dropout, classes=4):
    return tf.keras.Sequential([
        layers.Conv2D(8, 3, activation="relu", input_shape=input_shape),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(dropout),
        layers.Dense(32, activation="relu"),
        layers.Dense(classes),
    ])
