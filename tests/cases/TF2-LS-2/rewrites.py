#### an optimizer that is made there
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss="mse")
#### after
import tensorflow as tf
import npu_device

tf.keras.mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.Adam(1e-3)), loss="mse")
#### findings
5 auto
#### an optimizer by name, the policy as an object
import tensorflow as tf
from tensorflow.keras import mixed_precision

policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_global_policy(policy)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras import mixed_precision

policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_global_policy(policy)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.get("adam")), "mse")
#### the old way to set a policy, and an optimizer in a variable
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=opt)
#### after
import tensorflow as tf
import npu_device

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=npu_device.train.optimizer.NpuLossScaleOptimizer(opt))
#### a policy that a flag switches on
import tensorflow as tf

if args.amp:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=opt)
#### after
import tensorflow as tf
import npu_device

if args.amp:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
if tf.keras.mixed_precision.global_policy().name == 'mixed_float16':
    opt = npu_device.train.optimizer.NpuLossScaleOptimizer(opt)
model.compile(optimizer=opt)
#### a policy that another file sets
import tensorflow as tf
import settings

opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=opt)
#### file settings.py
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
#### after
import tensorflow as tf
import npu_device
import settings

opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
if tf.keras.mixed_precision.global_policy().name == 'mixed_float16':
    opt = npu_device.train.optimizer.NpuLossScaleOptimizer(opt)
model.compile(optimizer=opt)
#### an optimizer nobody knows
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=make_optimizer(), loss="mse")
#### findings
5 manual
#### a policy that a flag switches on, and several ranks
import tensorflow as tf

if args.amp:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer=opt)
#### with distributed=tf_strategy
#### findings
7 manual
