#### already True
import tensorflow as tf

train_ds = tf.data.Dataset.range(10).batch(2, drop_remainder=True)
train_two = tf.data.Dataset.range(10).batch(2, True)
train_pad = tf.data.Dataset.range(10).padded_batch(2, drop_remainder=True)
#### decided by the switch already
import tensorflow as tf


def make(files, training):
    return tf.data.TFRecordDataset(files).batch(32, drop_remainder=training)
#### decided by a setting
import tensorflow as tf


def make(files, static):
    return tf.data.TFRecordDataset(files).batch(32, drop_remainder=static)
#### findings
5 possible
#### hidden arguments
import tensorflow as tf

train_ds = tf.data.Dataset.range(10).batch(*arguments)
train_two = tf.data.Dataset.range(10).batch(8, **options)
#### findings
3 manual
4 manual
#### test data
import tensorflow as tf

test_ds = tf.data.TFRecordDataset(files).batch(100)
model.evaluate(test_ds)
#### findings
3 info
#### what is predicted
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(100)
model.predict(ds)
#### findings
3 info
#### evaluation data that says so itself
import tensorflow as tf

val_ds = tf.data.TFRecordDataset(files).batch(100, drop_remainder=False)
#### findings
3 info
#### a single sample
import tensorflow as tf

ds = tf.data.Dataset.from_tensors(x).batch(8)
#### findings
3 manual
#### batch of something else
import tensorflow as tf

store = Store()
store.batch(8, commit=True)
#### no datasets at all
import tensorflow as tf

queue.batch(8)
#### make_batched_features_dataset without epochs drops it by itself
import tensorflow as tf

train_ds = tf.data.experimental.make_batched_features_dataset("*.tfrecord", 128, features)
#### unknown receiver where datasets are used
import tensorflow as tf


def finish(ds):
    return ds.map(tf.data.experimental.AUTOTUNE).batch(8)
#### findings
5 possible
#### a test case
import tensorflow as tf


class DataTest(tf.test.TestCase):
    def test_batch(self):
        train_ds = tf.data.Dataset.range(10).batch(3)
#### a setting of evaluation data
import tensorflow as tf


def eval_fn(files, drop_remainder=False):
    return tf.data.TFRecordDataset(files).batch(32, drop_remainder=drop_remainder)
#### said so, and nothing tells what it serves
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64, drop_remainder=False)
#### findings
3 possible
#### nothing tells what it serves
import tensorflow as tf

ds = tf.data.TFRecordDataset(files).batch(64)
#### findings
3 possible
#### every sample counts for a vocabulary
import numpy as np
import tensorflow as tf

movies = tf.data.TFRecordDataset(files)
titles = np.unique(np.concatenate(list(movies.batch(1_000))))
all_titles = movies.batch(1_000_000).map(lambda x: x["title"])
unique = np.unique(np.concatenate(list(all_titles)))
text_ds = tf.data.Dataset.from_tensor_slices(train_samples).batch(128)
vectorizer.adapt(text_ds)
vectorizer.adapt(tf.data.Dataset.from_tensor_slices(train_samples).batch(128))
words = [word for batch in movies.batch(8) for word in batch]
for row in movies.batch(8).take(1).as_numpy_iterator():
    print(row)


def train_word_piece(ds):
    return bert_vocab.bert_vocab_from_dataset(movies.batch(1000).prefetch(2))
#### files of comma-separated values
import tensorflow as tf

endless = tf.data.experimental.make_csv_dataset("a.csv", 32)
once = tf.data.experimental.make_csv_dataset("a.csv", 32, num_epochs=1)
test_data = tf.data.experimental.make_csv_dataset("a.csv", 32, num_epochs=1)
#### findings
4 manual
#### a mode that the function changes
import tensorflow as tf


def make(mode):
    dataset = tf.data.TFRecordDataset(mode)
    mode = mode.lower()
    if mode == "train":
        dataset = dataset.shuffle(100)
    return dataset.batch(8)


train, test = make("train"), make("test")
#### findings
9 manual
