#### assertions go
import tensorflow as tf
from tensorflow.python.client import device_lib

gpus = [d.name for d in device_lib.list_local_devices() if d.device_type == 'GPU']
assert len(gpus) > 0, 'no GPU found'  # fail early
assert tf.test.is_gpu_available(cuda_only=True)
train()
#### after
import tensorflow as tf
from tensorflow.python.client import device_lib

gpus = [d.name for d in device_lib.list_local_devices() if d.device_type == 'GPU']
# fail early
train()
#### findings
5 auto
6 auto
#### checks that end the program go
import sys
import tensorflow as tf

def main():
    gpus = tf.config.experimental.list_physical_devices('GPU')
    if not gpus:
        raise SystemError('GPU device not found')
    if tf.test.gpu_device_name() != '/device:GPU:0':
        print('no GPU')
        sys.exit(1)
    train()
#### after
import sys
import tensorflow as tf

def main():
    gpus = tf.config.experimental.list_physical_devices('GPU')
    train()
#### findings
6 auto
8 auto
#### a function that lists GPUs
import tensorflow as tf
from tensorflow.python.client import device_lib

def get_available_gpus():
    devices = device_lib.list_local_devices()
    return [x.name for x in devices if x.device_type == 'GPU']

def main():
    if len(get_available_gpus()) == 0:
        raise ValueError('no GPU')
    train()
#### after
import tensorflow as tf
from tensorflow.python.client import device_lib

def get_available_gpus():
    devices = device_lib.list_local_devices()
    return [x.name for x in devices if x.device_type == 'GPU']

def main():
    train()
#### the other way round
import tensorflow as tf
if tf.test.is_gpu_available():
    train()
else:
    raise RuntimeError('no GPU')
#### after
import tensorflow as tf
if True:
    train()
else:
    raise RuntimeError('no GPU')
#### findings
2 auto
#### the choice of a data layout
import tensorflow as tf
data_format = ('channels_first' if tf.test.is_built_with_cuda() else 'channels_last')
if tf.test.is_gpu_available():
    layout = 'NCHW'
else:
    layout = 'NHWC'
#### after
import tensorflow as tf
data_format = ('channels_first')
if True:
    layout = 'NCHW'
else:
    layout = 'NHWC'
#### findings
2 auto-check
3 auto-check
