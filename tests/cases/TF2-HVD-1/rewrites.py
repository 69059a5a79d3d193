#### nothing uses it
import os, horovod.tensorflow as hvd
import tensorflow as tf
print(os.name)
#### with distributed=horovod
#### after
import os
import tensorflow as tf
print(os.name)
#### findings
1 auto
#### guarded
import tensorflow as tf
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None
tf.constant(1)
#### with distributed=horovod
#### after
import tensorflow as tf
tf.constant(1)
#### findings
3 auto
#### only tested
import tensorflow as tf
import horovod.tensorflow.keras as hvd
if hvd:
    print('distributed')
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device as hvd
if hvd:
    print('distributed')
#### findings
2 auto-check
