#### a script opens the NPU behind its imports
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile('adam', 'mse')
model.fit(x, y)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile('adam', 'mse')
model.fit(x, y)
#### findings
3 auto
#### behind the parsing of arguments, before the seed
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
args = parser.parse_args()

SEED = 42
tf.random.set_seed(SEED)
model = tf.keras.Sequential()
#### after
import argparse
import tensorflow as tf
import npu_device

parser = argparse.ArgumentParser()
args = parser.parse_args()

npu_device.open().as_default()

SEED = 42
tf.random.set_seed(SEED)
model = tf.keras.Sequential()
#### arguments that are parsed after the seed are not waited for
import argparse
import tensorflow as tf

tf.random.set_seed(1)
args = argparse.ArgumentParser().parse_args()
tf.keras.Sequential().fit(x)
#### after
import argparse
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.random.set_seed(1)
args = argparse.ArgumentParser().parse_args()
tf.keras.Sequential().fit(x)
#### top of the main function of absl
from absl import app
import tensorflow as tf


def main(_):
    strategy = tf.distribute.MirroredStrategy()
    model = tf.keras.Sequential()


if __name__ == '__main__':
    app.run(main)
#### after
from absl import app
import tensorflow as tf
import npu_device


def main(_):
    npu_device.open().as_default()
    strategy = tf.distribute.MirroredStrategy()
    model = tf.keras.Sequential()


if __name__ == '__main__':
    app.run(main)
#### behind the docstring and the parsing of arguments of main
import argparse
import tensorflow as tf


def main():
    """Train."""
    args = argparse.ArgumentParser().parse_args()
    tf.random.set_seed(args.seed)
    tf.keras.Sequential().fit(x)


main()
#### after
import argparse
import tensorflow as tf
import npu_device


def main():
    """Train."""
    args = argparse.ArgumentParser().parse_args()
    npu_device.open().as_default()
    tf.random.set_seed(args.seed)
    tf.keras.Sequential().fit(x)


main()
#### in the guard where the guard does a part of the work
import tensorflow as tf


def train():
    tf.keras.Sequential().fit(x)


if __name__ == '__main__':
    args = parser.parse_args()
    tf.random.set_seed(args.seed)
    train()
#### after
import tensorflow as tf
import npu_device


def train():
    tf.keras.Sequential().fit(x)


if __name__ == '__main__':
    args = parser.parse_args()
    npu_device.open().as_default()
    tf.random.set_seed(args.seed)
    train()
#### behind the variable that chooses the device
import os
import tensorflow as tf

os.environ['ASCEND_DEVICE_ID'] = '2'
model = tf.keras.Sequential()
#### after
import os
import tensorflow as tf
import npu_device

os.environ['ASCEND_DEVICE_ID'] = '2'

npu_device.open().as_default()
model = tf.keras.Sequential()
#### a device that is chosen too late is reported
import os
import tensorflow as tf

tf.random.set_seed(1)
os.environ['CUDA_VISIBLE_DEVICES'] = '2'
model = tf.keras.Sequential()
#### after
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.random.set_seed(1)
os.environ['CUDA_VISIBLE_DEVICES'] = '2'
model = tf.keras.Sequential()
#### findings
4 auto-check
#### a seed of the file moves behind the opening in main
import tensorflow as tf

SEED = 3
tf.random.set_seed(SEED)
tf.config.set_soft_device_placement(True)


def main():
    model = tf.keras.Sequential()


if __name__ == '__main__':
    main()
#### after
import tensorflow as tf
import npu_device

SEED = 3


def main():
    npu_device.open().as_default()
    tf.random.set_seed(SEED)
    tf.config.set_soft_device_placement(True)
    model = tf.keras.Sequential()


if __name__ == '__main__':
    main()
#### a model of the file makes the opening stand above it
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])


def main():
    model.fit(x, y)


if __name__ == '__main__':
    main()
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])


def main():
    model.fit(x, y)


if __name__ == '__main__':
    main()
#### a module that makes variables when it is imported is imported later
import tensorflow as tf
from helper import counter

model = tf.keras.Sequential()
model.fit(x)
#### file helper.py
import tensorflow as tf

counter = tf.Variable(0)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

from helper import counter

model = tf.keras.Sequential()
model.fit(x)
#### findings
2 auto-check
#### options that were requested are set first
import tensorflow as tf

model = tf.keras.Sequential()
model.fit(x)
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
import npu_device
from npu_options import set_global_options

set_global_options()
npu_device.open().as_default()

model = tf.keras.Sequential()
model.fit(x)
#### functions of the file lead to TensorFlow
import tensorflow as tf


def build():
    return tf.keras.Sequential()


print('training')
build().fit(x)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()


def build():
    return tf.keras.Sequential()


print('training')
build().fit(x)
#### a training loop without Keras
import tensorflow as tf

w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = w * w
w.assign_sub(tape.gradient(loss, w))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = w * w
w.assign_sub(tape.gradient(loss, w))
#### a script without a guard that nobody imports
from tensorflow import keras
model = keras.Sequential()
model.fit(x, y)
#### with entry=
#### after
from tensorflow import keras
import npu_device

npu_device.open().as_default()
model = keras.Sequential()
model.fit(x, y)
#### npu_device is imported already
import npu_device as npu
import tensorflow as tf

model = tf.keras.Sequential()
model.fit(x)
#### after
import npu_device as npu
import tensorflow as tf

npu.open().as_default()

model = tf.keras.Sequential()
model.fit(x)
#### a program that only prepares data stays on the host
import tensorflow as tf

with tf.io.TFRecordWriter('a') as writer:
    writer.write(tf.io.serialize_tensor(tf.cast(x, tf.int32)).numpy())
#### findings
1 info
#### a script that trains from a generator
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit_generator(batches)
#### with entry=
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit_generator(batches)
#### findings
3 auto
#### a script that calls its model
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
print(model(picture))
#### with entry=
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
print(model(picture))
#### findings
3 auto
#### a model of TensorFlow Hub
import tensorflow as tf
import tensorflow_hub as hub

module = hub.load('bit')
print(module(tf.ones([1, 8, 8, 3])))
#### with entry=
#### after
import tensorflow as tf
import npu_device
import tensorflow_hub as hub

npu_device.open().as_default()

module = hub.load('bit')
print(module(tf.ones([1, 8, 8, 3])))
#### findings
4 auto
