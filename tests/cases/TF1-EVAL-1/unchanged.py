#### a pipeline of evaluation by the name of its function
import tensorflow as tf


def eval_input_fn():
    return tf.data.TFRecordDataset('x').batch(100)
#### findings
5 info
#### by use: EvalSpec, predict, validation_data
import tensorflow as tf


def first():
    return tf.data.TFRecordDataset('x').batch(100)


def second():
    return tf.data.TFRecordDataset('x').batch(100)


def third():
    return tf.data.TFRecordDataset('x').batch(100)


spec = tf.estimator.EvalSpec(first)
est = tf.estimator.Estimator(model_fn)
est.predict(input_fn=lambda: second())
model = tf.keras.Sequential()
model.fit(x, y, validation_data=third())
#### findings
5 info
9 info
13 info
#### by branch
import tensorflow as tf


def make(mode, d):
    d = tf.data.TFRecordDataset('x')
    if mode == tf.estimator.ModeKeys.PREDICT:
        return d.batch(10)
    if mode == 'train':
        return d.batch(20)
    else:
        return d.batch(30)
#### findings
7 info
11 info
#### by the name of a variable
import tensorflow as tf
val_ds = tf.data.TFRecordDataset('x').batch(100)
#### findings
2 info
#### from another file
import tensorflow as tf


def records():
    return tf.data.TFRecordDataset('x').batch(100)
#### file evaluate.py
import tensorflow as tf
from main import records

est = tf.estimator.Estimator(model_fn)
est.evaluate(records)
#### findings
5 info
#### asserts that count predictions
import tensorflow as tf


def main():
    est = tf.estimator.Estimator(model_fn)
    num_written_lines = 0
    for result in est.predict(input_fn):
        num_written_lines += 1
    assert num_written_lines == num_actual_examples
    assert len(lines) == FLAGS.num_examples
    assert mode == 'predict'


def make(path):
    return tf.data.TFRecordDataset(path).batch(8)


input_fn = make(FLAGS.path)
#### findings
9 manual
10 manual
#### asserts that hold: predictions keep their last batch
import tensorflow as tf


def input_fn(is_training):
    d = tf.data.TFRecordDataset('x')
    if is_training:
        d = d.shuffle(8)
    return d.batch(8)


def main():
    est = tf.estimator.Estimator(model_fn)
    est.train(lambda: input_fn(True))
    num_written_lines = 0
    for result in est.predict(lambda: input_fn(False)):
        num_written_lines += 1
    assert num_written_lines == num_actual_examples
#### training loses nothing that counts
import tensorflow as tf


def train_input_fn():
    return tf.data.TFRecordDataset('x').batch(100)
#### nothing is lost
import tensorflow as tf


def eval_input_fn():
    a = tf.data.TFRecordDataset('x').batch(1)
    b = tf.data.TFRecordDataset('x').repeat().batch(8)
    return a, b
#### full batches were the user's choice
import tensorflow as tf


def eval_input_fn():
    return tf.data.TFRecordDataset('x').batch(100, drop_remainder=True)
#### counts in a function that does not predict
import tensorflow as tf


def check(num_a, num_b):
    assert num_a == num_b
#### somebody else's predict
from sklearn.linear_model import LinearRegression


def main():
    model = LinearRegression()
    model.predict(x)
    assert num_rows == num_results
