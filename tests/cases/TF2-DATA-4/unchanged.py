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
