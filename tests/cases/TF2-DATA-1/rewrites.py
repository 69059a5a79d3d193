#### training data, shuffled
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(32)
model.fit(train_ds, epochs=5)
#### after
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(32, drop_remainder=True)
model.fit(train_ds, epochs=5)
#### findings
3 auto
#### after repeat no batch is the last one
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).repeat().batch(batch_size)
#### after
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).repeat().batch(batch_size, drop_remainder=True)
#### findings
3 auto
#### False by position
import tensorflow as tf

train = tf.data.TFRecordDataset(files).batch(64, False)
#### after
import tensorflow as tf

train = tf.data.TFRecordDataset(files).batch(64, True)
#### findings
3 auto
#### False by keyword, other keywords kept
from tensorflow import data

train_set = data.Dataset.range(100).batch(8, num_parallel_calls=4, drop_remainder=False)
#### after
from tensorflow import data

train_set = data.Dataset.range(100).batch(8, num_parallel_calls=4, drop_remainder=True)
#### padded_batch
import tensorflow as tf

train_ds = tf.data.TextLineDataset(path).map(parse).padded_batch(16, padded_shapes=([64], []))
#### after
import tensorflow as tf

train_ds = tf.data.TextLineDataset(path).map(parse).padded_batch(16, padded_shapes=([64], []), drop_remainder=True)
#### window and ragged_batch
import tensorflow as tf

train_windows = tf.data.Dataset.range(1000).window(30, shift=1)
train_ragged = tf.data.Dataset.range(1000).ragged_batch(4)
#### after
import tensorflow as tf

train_windows = tf.data.Dataset.range(1000).window(30, shift=1, drop_remainder=True)
train_ragged = tf.data.Dataset.range(1000).ragged_batch(4, drop_remainder=True)
#### bucket_by_sequence_length, as a method and applied
import tensorflow as tf

train_ds = tf.data.Dataset.from_generator(gen, tf.int32).bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [10, 20], [32, 32, 32])
train_two = train_ds.apply(tf.data.experimental.bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [10, 20], [32, 32, 32]))
#### after
import tensorflow as tf

train_ds = tf.data.Dataset.from_generator(gen, tf.int32).bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [10, 20], [32, 32, 32], drop_remainder=True)
train_two = train_ds.apply(tf.data.experimental.bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [10, 20], [32, 32, 32], drop_remainder=True))
#### make_batched_features_dataset with a number of epochs
import tensorflow as tf

train_ds = tf.data.experimental.make_batched_features_dataset("*.tfrecord", 128, features, num_epochs=3)
#### after
import tensorflow as tf

train_ds = tf.data.experimental.make_batched_features_dataset("*.tfrecord", 128, features, num_epochs=3, drop_final_batch=True)
#### a switch of the function decides
import tensorflow as tf


def make(files, batch_size, is_training=True):
    ds = tf.data.TFRecordDataset(files)
    if is_training:
        ds = ds.shuffle(1000)
    return ds.batch(batch_size)
#### after
import tensorflow as tf


def make(files, batch_size, is_training=True):
    ds = tf.data.TFRecordDataset(files)
    if is_training:
        ds = ds.shuffle(1000)
    return ds.batch(batch_size, drop_remainder=is_training)
#### findings
8 auto
#### validation and test data keep every sample
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
val_ds = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(64)
model.fit(train_ds, validation_data=val_ds)
#### after
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(64, drop_remainder=True)
val_ds = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(64)
model.fit(train_ds, validation_data=val_ds)
#### findings
3 auto
4 info
#### a loop with training steps
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64)
for step, (x, y) in enumerate(ds.take(10)):
    train_step(x, y)
#### after
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64, drop_remainder=True)
for step, (x, y) in enumerate(ds.take(10)):
    train_step(x, y)
#### findings
3 auto
#### a loop that computes gradients
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64)
for x in ds:
    with tf.GradientTape() as tape:
        loss = model(x)
#### after
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64, drop_remainder=True)
for x in ds:
    with tf.GradientTape() as tape:
        loss = model(x)
#### tensorflow_datasets, unpacked with info
import tensorflow as tf
import tensorflow_datasets as tfds

(ds_train, ds_test), info = tfds.load("mnist", split=["train", "test"], with_info=True)
ds_train = ds_train.map(normalize).shuffle(1000)
ds_train = ds_train.batch(128)
ds_test = ds_test.batch(128)
#### after
import tensorflow as tf
import tensorflow_datasets as tfds

(ds_train, ds_test), info = tfds.load("mnist", split=["train", "test"], with_info=True)
ds_train = ds_train.map(normalize).shuffle(1000)
ds_train = ds_train.batch(128, drop_remainder=True)
ds_test = ds_test.batch(128)
#### findings
6 auto
7 info
#### tensorflow_datasets by key
import tensorflow as tf
import tensorflow_datasets as tfds

examples = tfds.load("ted", as_supervised=True)
train_batches = examples["train"].map(encode).padded_batch(64)
#### after
import tensorflow as tf
import tensorflow_datasets as tfds

examples = tfds.load("ted", as_supervised=True)
train_batches = examples["train"].map(encode).padded_batch(64, drop_remainder=True)
#### the same function for training and evaluation, without a switch
import tensorflow as tf


def make(files):
    return tf.data.TFRecordDataset(files).batch(32)


model.fit(make(train_files), validation_data=make(val_files))
#### findings
5 manual
#### steps that count the last batch
import math
import tensorflow as tf

steps = math.ceil(len(x_train) / 32)
train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32)
model.fit(train_ds, steps_per_epoch=steps, epochs=5)
#### after
import math
import tensorflow as tf

steps = math.ceil(len(x_train) / 32)
train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32, drop_remainder=True)
model.fit(train_ds, steps_per_epoch=steps, epochs=5)
#### findings
5 auto-check
#### steps that do not
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32)
model.fit(train_ds, steps_per_epoch=len(x_train) // 32, epochs=5)
#### after
import tensorflow as tf

train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32, drop_remainder=True)
model.fit(train_ds, steps_per_epoch=len(x_train) // 32, epochs=5)
#### findings
3 auto
#### two datasets of one function
import tensorflow as tf


def load(x, y, x_val, y_val):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.shuffle(60000).batch(100)
    other = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(100)
    return ds, other


train_dataset, val_dataset = load(*arrays)
#### after
import tensorflow as tf


def load(x, y, x_val, y_val):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.shuffle(60000).batch(100, drop_remainder=True)
    other = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(100)
    return ds, other


train_dataset, val_dataset = load(*arrays)
#### findings
6 auto
7 info
#### repeated for ever, shuffled or not
import tensorflow as tf


def load(name, size, shuffle=True):
    raw = tf.data.TFRecordDataset(name).repeat()
    if shuffle:
        raw = raw.shuffle(1000)
    data = raw.map(parse)
    return data.batch(size)
#### after
import tensorflow as tf


def load(name, size, shuffle=True):
    raw = tf.data.TFRecordDataset(name).repeat()
    if shuffle:
        raw = raw.shuffle(1000)
    data = raw.map(parse)
    return data.batch(size, drop_remainder=True)
#### findings
9 auto
#### a dataset that replaces itself over several lines
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices(x).batch(4)
data = (
    data.map(scale)
)
for batch in data:
    train(batch)
#### after
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices(x).batch(4, drop_remainder=True)
data = (
    data.map(scale)
)
for batch in data:
    train(batch)
#### findings
3 auto
#### a mode of the function decides
import tensorflow as tf


def make(mode):
    dataset = tf.data.TFRecordDataset(mode)
    if mode == "train":
        dataset = dataset.shuffle(100)
    return dataset.batch(8)


train, test = make("train"), make("test")
#### after
import tensorflow as tf


def make(mode):
    dataset = tf.data.TFRecordDataset(mode)
    if mode == "train":
        dataset = dataset.shuffle(100)
    return dataset.batch(8, drop_remainder=mode == "train")


train, test = make("train"), make("test")
#### findings
8 auto
#### two splits of tensorflow_datasets by key, in one statement
import tensorflow as tf
import tensorflow_datasets as tfds

data = tfds.load("mnist")
train, test = data["train"], data["test"]
train = train.shuffle(100).batch(8)
#### after
import tensorflow as tf
import tensorflow_datasets as tfds

data = tfds.load("mnist")
train, test = data["train"], data["test"]
train = train.shuffle(100).batch(8, drop_remainder=True)
#### findings
6 auto
