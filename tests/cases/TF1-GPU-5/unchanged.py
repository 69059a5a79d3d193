#### other assertions
import tensorflow as tf
gpus = [1, 2]
assert len(gpus) > 0
assert FLAGS.num_gpus > 0
#### a choice that is not a layout is reported
import tensorflow as tf
cell = CuDNNLSTM if tf.test.is_gpu_available() else LSTM
#### findings
2 manual
#### more GPUs than one
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
assert len(gpus) >= 4
#### CPUs
import tensorflow as tf
cpus = tf.config.experimental.list_physical_devices('CPU')
assert len(cpus) > 0
#### a check that does more than end
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
if not gpus:
    use_cpu()
#### a condition with another part
import tensorflow as tf
if not tf.test.is_gpu_available() and FLAGS.gpu:
    raise ValueError('no GPU')
#### findings
2 manual
#### one of several branches
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
if FLAGS.cpu:
    pass
elif not gpus:
    raise ValueError('no GPU')
#### tests that are skipped without a GPU
import unittest
import tensorflow as tf

class Test(tf.test.TestCase):
    @unittest.skipUnless(tf.test.is_built_with_cuda(), 'requires GPU')
    def test(self):
        pass
#### somebody else's answer
import torch
assert torch.cuda.is_available()
assert torch.test.is_gpu_available()
#### a list that is changed in between
import tensorflow as tf
gpus = tf.config.experimental.list_physical_devices('GPU')
gpus = gpus or fallback()
assert gpus
#### only mentioned
import tensorflow as tf
check = tf.test.is_gpu_available
#### a message
import tensorflow as tf
if tf.test.is_gpu_available() and layout == 'NHWC':
    tf.logging.info('consider NCHW')
#### several questions of a file are reported together
import tensorflow as tf
a = f() if tf.test.is_gpu_available() else g()
b = h() if tf.test.is_gpu_available() else i()
#### findings
2 manual
