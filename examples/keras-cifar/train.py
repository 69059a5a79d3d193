# Train a CNN on CIFAR-like images with tf.keras.
import argparse
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import LearningRateScheduler, ModelCheckpoint, TensorBoard
from tensorflow.keras.utils import multi_gpu_model, to_categorical

import data
from models import functional_cnn, sequential_cnn

NUM_CLASSES = 10


def set_gpu_session(gpus):
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(i) for i in range(gpus))
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    K.set_session(tf.Session(config=config))


def schedule(epoch):
    return 1e-3 if epoch < 4 else 1e-4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["sequential", "functional"], default="functional")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--augment", action="store_true")
    args = parser.parse_args()

    np.random.seed(7)  # fit() shuffles with it
    tf.set_random_seed(7)
    set_gpu_session(args.gpus)

    (x_train, y_train), (x_test, y_test) = data.load_data()
    x_train = x_train.astype("float32") / 255
    x_test = x_test.astype("float32") / 255
    y_train = to_categorical(y_train, NUM_CLASSES)
    y_test = to_categorical(y_test, NUM_CLASSES)

    build = functional_cnn if args.model == "functional" else sequential_cnn
    model = build(x_train.shape[1:], NUM_CLASSES)
    model.summary()
    parallel_model = model
    if args.gpus > 1:
        parallel_model = multi_gpu_model(model, gpus=args.gpus)
    parallel_model.compile(
        loss="categorical_crossentropy",
        optimizer=tf.keras.optimizers.Adam(lr=schedule(0)),
        metrics=["accuracy"])

    callbacks = [
        LearningRateScheduler(schedule),
        ModelCheckpoint("weights.{epoch:02d}.h5", save_weights_only=True),
        TensorBoard(log_dir="./logs"),
    ]
    if args.augment:
        parallel_model.fit_generator(
            data.flipped_batches(x_train, y_train, args.batch_size),
            steps_per_epoch=len(x_train) // args.batch_size,
            epochs=args.epochs, callbacks=callbacks, verbose=2)
    else:
        parallel_model.fit(
            x_train, y_train, batch_size=args.batch_size, epochs=args.epochs,
            validation_data=(x_test, y_test), callbacks=callbacks, verbose=2)

    loss, acc = parallel_model.evaluate(x_test, y_test, batch_size=args.batch_size, verbose=0)
    print("Test loss: %.4f" % loss)
    print("Test accuracy: %.4f" % acc)


if __name__ == "__main__":
    main()
