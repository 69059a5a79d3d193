"""Train a small image classifier with Keras: fit, callbacks, a saved model."""
import argparse
import os

import numpy as np
import tensorflow as tf

from data import load_digits
from model import build_model

os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")


def schedule(epoch, lr):
    return lr if epoch < 2 else lr * 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.25)
    parser.add_argument("--output", default="output")
    args = parser.parse_args()

    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    print("training on", len(gpus), "GPU")

    np.random.seed(1)
    tf.random.set_seed(1)
    (x_train, y_train), (x_test, y_test) = load_digits()
    train = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    train = train.shuffle(len(x_train), seed=1).batch(args.batch_size).prefetch(2)
    test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(args.batch_size)

    with tf.device("/GPU:0"):
        model = build_model(x_train.shape[1:], args.dropout)
    model.compile(
        optimizer="adam",
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    os.makedirs(args.output, exist_ok=True)
    callbacks = [
        tf.keras.callbacks.ModelCheckpoint(
            os.path.join(args.output, "model.weights.h5"), save_weights_only=True),
        tf.keras.callbacks.LearningRateScheduler(schedule),
        tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=3),
    ]
    model.fit(train, validation_data=test, epochs=args.epochs, callbacks=callbacks, verbose=2)
    loss, accuracy = model.evaluate(test, verbose=0)
    print("test loss: %.4f, test accuracy: %.4f" % (loss, accuracy))


if __name__ == "__main__":
    main()
