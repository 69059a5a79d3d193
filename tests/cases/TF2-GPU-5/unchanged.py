#### only a message
import tensorflow as tf
if tf.config.list_physical_devices('GPU'):
    print('on a GPU')
#### CPUs
import tensorflow as tf
assert tf.config.list_physical_devices('CPU')
#### NPUs
import npu_device
import tensorflow as tf
assert npu_device.open() is not None
#### a function of the project
import tensorflow as tf
def is_gpu_available():
    return True
assert is_gpu_available()
#### a skipped test
import unittest
import tensorflow as tf
@unittest.skipUnless(tf.test.is_built_with_cuda(), 'needs a GPU')
def test_x():
    pass
