#### samples without batches
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train", batch_size=None)
#### batched again already
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train").unbatch().batch(32, drop_remainder=True)
#### a generator for evaluation
import tensorflow as tf

test_gen = tf.keras.preprocessing.image.ImageDataGenerator().flow_from_directory("test")
#### flow of something else
import tensorflow as tf

river.flow(x, batch_size=3)
#### hidden arguments
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train", **options)
#### no batches, all samples in one, and evaluation's
import tensorflow as tf
import tensorflow_datasets as tfds
a = tfds.load("mnist", split="train")
b = tfds.load("mnist", split="train", batch_size=None)
c = tfds.load("mnist", split="train", batch_size=-1)
d = tfds.load("mnist", split="test", batch_size=32)
#### the names of classes are read later
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train")
model.fit(train_ds)
print(train_ds.class_names)
#### findings
3 manual
#### the names and the number of batches are read
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train")
print(train_ds.class_names, len(train_ds))
model.fit(train_ds)
#### findings
3 manual
#### batches that tensorflow_datasets makes of a dictionary of splits
import tensorflow as tf
import tensorflow_datasets as tfds
data, info = tfds.load("mnist", batch_size=32, with_info=True)
model.fit(data["train"])
#### findings
3 manual
#### rebatched later
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train")
print(train_ds.class_names)
train_ds = train_ds.unbatch().batch(8, drop_remainder=True)
#### the names of classes are read in a function
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train")


def show():
    print(train_ds.class_names)


model.fit(train_ds)
#### findings
3 manual
#### a function whose callers all take the batches apart
import tensorflow as tf


def build(subset):
    data = tf.keras.utils.image_dataset_from_directory('data', subset=subset, seed=1, batch_size=1)
    return data


train_ds = build('training').unbatch().batch(16, drop_remainder=True)
#### a function of which one caller keeps the batches
import tensorflow as tf


def build():
    return tf.keras.utils.image_dataset_from_directory('data', batch_size=8)


train_ds = build()
other = build().unbatch()
#### findings
5 possible
