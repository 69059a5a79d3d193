#### the training subset of a folder
import tensorflow as tf

ds = tf.keras.utils.image_dataset_from_directory(
    "data", validation_split=0.2, subset="training", seed=1, batch_size=16)
#### after
import tensorflow as tf

ds = tf.keras.utils.image_dataset_from_directory(
    "data", validation_split=0.2, subset="training", seed=1, batch_size=16).unbatch().batch(16, drop_remainder=True)
#### findings
3 auto-check
#### the default batch size, under the old name
import tensorflow as tf

train_ds = tf.keras.preprocessing.image_dataset_from_directory("train")
#### after
import tensorflow as tf

train_ds = tf.keras.preprocessing.image_dataset_from_directory("train").unbatch().batch(32, drop_remainder=True)
#### text, and in a chain
import tensorflow as tf

train_text = tf.keras.utils.text_dataset_from_directory("train", batch_size=BATCH).cache()
#### after
import tensorflow as tf

train_text = tf.keras.utils.text_dataset_from_directory("train", batch_size=BATCH).unbatch().batch(BATCH, drop_remainder=True).cache()
#### the validation subset
import tensorflow as tf

val_ds = tf.keras.utils.image_dataset_from_directory("data", validation_split=0.2, subset="validation")
#### findings
3 info
#### nothing tells what it serves
import tensorflow as tf

ds = tf.keras.utils.image_dataset_from_directory("data")
#### findings
3 possible
#### generators of images
import tensorflow as tf

datagen = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255)
train_gen = datagen.flow_from_directory("train", batch_size=20)
flow = datagen.flow(x, y, batch_size=32)
#### findings
4 manual
5 manual
#### the number of batches is read
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train")
steps = len(train_ds)
#### findings
3 manual
#### the names of classes are read first
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train", batch_size=16)
val_ds = tf.keras.utils.image_dataset_from_directory("val", batch_size=16)
print(train_ds.class_names)
train_ds = train_ds.cache().prefetch(1)
#### after
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory("train", batch_size=16)
val_ds = tf.keras.utils.image_dataset_from_directory("val", batch_size=16)
print(train_ds.class_names)
train_ds = train_ds.unbatch().batch(16, drop_remainder=True)
train_ds = train_ds.cache().prefetch(1)
#### findings
3 auto
4 info
#### batches that tensorflow_datasets makes
import tensorflow as tf
import tensorflow_datasets as tfds
data = tfds.load("mnist", split="train", batch_size=32)
model.fit(data)
#### after
import tensorflow as tf
import tensorflow_datasets as tfds
data = tfds.load("mnist", split="train").batch(32, drop_remainder=True)
model.fit(data)
#### findings
3 auto
