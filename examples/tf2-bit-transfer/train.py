"""Fine-tune a BiT model on small pictures of flowers, after the Keras example."""
import argparse
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras

from backbone import build_backbone

parser = argparse.ArgumentParser()
parser.add_argument('--data_dir', default=None, help='folder with flowers.npz; made up when not given')
parser.add_argument('--module', default=None, help='SavedModel of BiT; a small one when not given')
parser.add_argument('--batch_size', default=16, type=int)
parser.add_argument('--epochs', default=3, type=int)
parser.add_argument('--log_steps', default=4, type=int)
args = parser.parse_args()

SEEDS = 42
RESIZE_TO, CROP_TO = 20, 16
NUM_CLASSES = 5
SCHEDULE_BOUNDARIES = [40, 60, 80]

np.random.seed(SEEDS)
tf.random.set_seed(SEEDS)
os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'
for gpu in tf.config.list_physical_devices('GPU'):
    tf.config.experimental.set_memory_growth(gpu, True)


def load_flowers():
    if args.data_dir:
        with np.load(os.path.join(args.data_dir, 'flowers.npz')) as data:
            return data['images'], data['labels']
    rng = np.random.RandomState(SEEDS)
    labels = rng.randint(0, NUM_CLASSES, 300)
    centers = rng.uniform(0, 255, (NUM_CLASSES, 1, 1, 3))
    images = centers[labels] + rng.normal(0, 40, (300, 24, 24, 3))
    return np.clip(images, 0, 255).astype('uint8'), labels.astype('int64')


def preprocess_train(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.resize(image, (RESIZE_TO, RESIZE_TO))
    image = tf.image.random_crop(image, (CROP_TO, CROP_TO, 3))
    return image / 255.0, label


def preprocess_test(image, label):
    image = tf.image.resize(image, (CROP_TO, CROP_TO))
    return image / 255.0, label


class MyBiTModel(keras.Model):
    def __init__(self, num_classes, module, **kwargs):
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.head = keras.layers.Dense(num_classes, kernel_initializer='zeros')
        self.bit_model = module

    def call(self, images):
        bit_embedding = self.bit_model(images)
        return self.head(bit_embedding)


class LogSteps(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch % args.log_steps == 0:
            print('step %d loss %.4f' % (batch, logs['loss']))


images, labels = load_flowers()
split = int(0.85 * len(images))
AUTO = tf.data.AUTOTUNE

train_ds = (
    tf.data.Dataset.from_tensor_slices((images[:split], labels[:split]))
    .shuffle(10000, seed=SEEDS)
    .repeat()
    .map(preprocess_train, num_parallel_calls=AUTO)
    .batch(args.batch_size)
    .prefetch(AUTO)
)
validation_ds = (
    tf.data.Dataset.from_tensor_slices((images[split:], labels[split:]))
    .map(preprocess_test, num_parallel_calls=AUTO)
    .batch(args.batch_size)
    .prefetch(AUTO)
)

module = keras.models.load_model(args.module) if args.module else build_backbone(CROP_TO)
model = MyBiTModel(num_classes=NUM_CLASSES, module=module)

learning_rate = 0.03 * args.batch_size / 32
lr_schedule = keras.optimizers.schedules.PiecewiseConstantDecay(
    boundaries=SCHEDULE_BOUNDARIES,
    values=[learning_rate, learning_rate * 0.1, learning_rate * 0.01, learning_rate * 0.001],
)
optimizer = keras.optimizers.SGD(learning_rate=lr_schedule, momentum=0.9)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=optimizer, loss=loss_fn, metrics=['accuracy'])

history = model.fit(
    train_ds,
    epochs=args.epochs,
    steps_per_epoch=split // args.batch_size,
    validation_data=validation_ds,
    callbacks=[
        LogSteps(),
        keras.callbacks.EarlyStopping(monitor='val_accuracy', patience=2, restore_best_weights=True),
    ],
    verbose=2,
)
accuracy = model.evaluate(validation_ds, verbose=0)[1] * 100
print('Accuracy: {:.2f}%'.format(accuracy))
model.save_weights(os.path.join('output', 'bit'))
