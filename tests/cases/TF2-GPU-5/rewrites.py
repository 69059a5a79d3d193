#### an assertion
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
assert len(gpus) > 0, 'no GPU'
print('go')
#### after
import tensorflow as tf
gpus = tf.config.list_physical_devices('GPU')
print('go')
#### findings
3 auto
#### an assertion with the older name
import tensorflow as tf
assert tf.config.experimental.list_physical_devices('GPU')
print('go')
#### after
import tensorflow as tf
print('go')
#### findings
2 auto
#### a check that ends the program
import sys
import tensorflow as tf
if not tf.test.is_gpu_available():
    print('a GPU is needed')
    sys.exit(1)
print('go')
#### after
import sys
import tensorflow as tf
print('go')
#### findings
3 auto
#### a check that raises
import tensorflow as tf
if tf.test.gpu_device_name() != '/device:GPU:0':
    raise SystemError('GPU device not found')
print('go')
#### after
import tensorflow as tf
print('go')
#### findings
2 auto
#### the layout of data
import tensorflow as tf
layout = 'channels_first' if tf.test.is_built_with_cuda() else 'channels_last'
#### after
import tensorflow as tf
layout = 'channels_first'
#### findings
2 auto-check
#### a choice that only a person can make
import tensorflow as tf
if tf.test.is_built_with_cuda():
    cell = fast()
else:
    cell = slow()
#### findings
2 manual
