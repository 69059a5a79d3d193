#### off
import tensorflow as tf
tf.config.optimizer.set_jit(False)
@tf.function(jit_compile=False)
def step(x):
    return x * 2
#### not requested
import tensorflow as tf
@tf.function
def step(x):
    return x * 2
@tf.function(autograph=False)
def other(x):
    return x * 2
#### the compiler of another package
import jax
import tensorflow as tf
step = jax.jit(train_step, jit_compile=True)
#### the NPU's own option of that name
import npu_device
import tensorflow as tf
npu_device.global_options().jit_compile = 'true'
#### some other compile
import re
import tensorflow as tf
pattern = re.compile('x')
