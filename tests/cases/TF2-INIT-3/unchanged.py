#### modules alone
import tensorflow as tf


class Classifier(tf.keras.Model):
    def call(self, x):
        return tf.nn.softmax(x)
#### with entry=
#### findings
4 manual
#### modules alone, reported once
import tensorflow as tf


class Classifier(tf.keras.Model):
    def call(self, x):
        return tf.nn.softmax(x)
#### file another.py
import tensorflow as tf


def loss(x):
    return tf.keras.losses.mse(x, 0)
#### with entry=
#### a script
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y)
#### with entry=
#### a module and its program
import tensorflow as tf


class Classifier(tf.keras.Model):
    def call(self, x):
        return tf.nn.softmax(x)
#### file train.py
from main import Classifier


def main():
    model = Classifier()
    model.compile("sgd", "mse")
    model.fit(x, y)


if __name__ == "__main__":
    main()
#### with entry=train.py
#### a module and a script without a guard
import tensorflow as tf


class Classifier(tf.keras.Model):
    def call(self, x):
        return tf.nn.softmax(x)
#### file train.py
import tensorflow as tf
from main import Classifier

model = Classifier()
model.compile(tf.keras.optimizers.SGD(), "mse")
model.fit(x, y)
#### with entry=
#### data alone
import tensorflow as tf


def load(name):
    return tf.data.TFRecordDataset(name)
#### with entry=
#### a test
import tensorflow as tf


class LayerTest(tf.test.TestCase):
    def test_layer(self):
        tf.keras.layers.Dense(1)


if __name__ == "__main__":
    tf.test.main()
#### with entry=
#### a program that opens the NPU itself
import npu_device
import tensorflow as tf

npu_device.open().as_default()
tf.keras.mixed_precision.set_global_policy('mixed_float16')
#### with entry=
