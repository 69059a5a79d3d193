#### no options: the NPU is opened behind the imports, before the first operator
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
print(model.predict(tf.ones([8, 4])))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
print(model.predict(tf.ones([8, 4])))
#### findings
3 TF2-INIT-1 auto
#### behind the docstring and imports from __future__
"""Trains a line."""
from __future__ import annotations

import tensorflow as tf

weight = tf.Variable(1.0)
print(weight.assign_add(1.0))
#### after
"""Trains a line."""
from __future__ import annotations

import tensorflow as tf
import npu_device

npu_device.open().as_default()

weight = tf.Variable(1.0)
print(weight.assign_add(1.0))
#### findings
6 TF2-INIT-1 auto
#### options of the command line: parsed first, then opened, and seeds and settings behind it
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=4)
args = parser.parse_args()
tf.random.set_seed(7)
tf.config.set_soft_device_placement(True)
weight = tf.Variable(1.0)
for _ in range(args.steps):
    weight.assign_add(1.0)
#### after
import argparse
import tensorflow as tf
import npu_device

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=4)
args = parser.parse_args()

npu_device.open().as_default()
tf.random.set_seed(7)
tf.config.set_soft_device_placement(True)
weight = tf.Variable(1.0)
for _ in range(args.steps):
    weight.assign_add(1.0)
#### findings
7 TF2-API-2 info
7 TF2-INIT-1 auto
#### absl: at the top of main
import tensorflow as tf
from absl import app, flags

flags.DEFINE_integer('steps', 4, 'steps')


def main(argv):
    weight = tf.Variable(1.0)
    for _ in range(flags.FLAGS.steps):
        weight.assign_add(1.0)


if __name__ == '__main__':
    app.run(main)
#### after
import tensorflow as tf
import npu_device
from absl import app, flags

flags.DEFINE_integer('steps', 4, 'steps')


def main(argv):
    npu_device.open().as_default()
    weight = tf.Variable(1.0)
    for _ in range(flags.FLAGS.steps):
        weight.assign_add(1.0)


if __name__ == '__main__':
    app.run(main)
#### findings
8 TF2-INIT-1 auto
#### absl: a seed that is set while the file is imported moves into main
import tensorflow as tf
from absl import app

tf.random.set_seed(7)


def main(argv):
    weight = tf.Variable(1.0)
    weight.assign_add(tf.random.normal([]))


if __name__ == '__main__':
    app.run(main)
#### after
import tensorflow as tf
import npu_device
from absl import app



def main(argv):
    npu_device.open().as_default()
    tf.random.set_seed(7)
    weight = tf.Variable(1.0)
    weight.assign_add(tf.random.normal([]))


if __name__ == '__main__':
    app.run(main)
#### findings
4 TF2-API-2 info
8 TF2-INIT-1 auto
#### a module that makes variables when it is imported is imported later
import tensorflow as tf
from network import weight

print(weight.assign_add(1.0))
#### file network.py
import tensorflow as tf

weight = tf.Variable(1.0)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

from network import weight

print(weight.assign_add(1.0))
#### findings
2 TF2-INIT-1 auto-check
#### a library module opens nothing
import tensorflow as tf
from network import build

print(build().predict(tf.ones([8, 4])))
#### file network.py
import tensorflow as tf


def build():
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
#### after
import tensorflow as tf
import npu_device
from network import build

npu_device.open().as_default()

print(build().predict(tf.ones([8, 4])))
#### findings
4 TF2-INIT-1 auto
#### opened once already, in the usual function of ports
import argparse
import npu_device
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--precision_mode', default='allow_mix_precision')
args = parser.parse_args()


def npu_config():
    npu_device.global_options().precision_mode = args.precision_mode
    npu_device.open().as_default()


npu_config()
weight = tf.Variable(1.0)
print(weight.assign_add(1.0))
#### a seed that an older port sets before it opens the NPU
import npu_device
import tensorflow as tf

tf.random.set_seed(7)
npu_device.open().as_default()
weight = tf.Variable(tf.random.normal([]))
#### after
import npu_device
import tensorflow as tf

npu_device.open().as_default()
tf.random.set_seed(7)
weight = tf.Variable(tf.random.normal([]))
#### findings
4 TF2-API-2 info
4 TF2-INIT-2 auto
#### device scopes have no effect on an NPU
import tensorflow as tf

with tf.device('/GPU:0'):
    weight = tf.Variable(1.0)
with tf.device('/CPU:0'):
    table = tf.Variable([1.0, 2.0])
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

weight = tf.Variable(1.0)
with tf.device('/CPU:0'):
    table = tf.Variable([1.0, 2.0])
#### findings
3 TF2-INIT-1 auto
3 TF2-DEV-1 auto
5 TF2-DEV-1 manual
#### pure eager training runs operator by operator
import tensorflow as tf

weight = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(10):
    with tf.GradientTape() as tape:
        loss = (weight - 2.0) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

weight = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(10):
    with tf.GradientTape() as tape:
        loss = (weight - 2.0) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
#### findings
3 TF2-INIT-1 auto
6 TF2-FUNC-4 manual
