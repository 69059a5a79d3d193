import tensorflow as tf


def build_model(length=64, num_classes=3):
    return tf.keras.Sequential([
        tf.keras.layers.Conv1D(16, 5, activation='relu', input_shape=(length, 1)),
        tf.keras.layers.MaxPooling1D(2),
        tf.keras.layers.Conv1D(32, 5, activation='relu'),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(num_classes, activation='softmax'),
    ])
