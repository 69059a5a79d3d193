#### one device
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### after
import os
import tensorflow as tf
os.environ['ASCEND_DEVICE_ID'] = '0'
#### findings
3 auto
#### the forms of setting it
from os import environ
import os as system
environ["CUDA_VISIBLE_DEVICES"] = "3"  # the quiet one
system.environ.setdefault('CUDA_VISIBLE_DEVICES', '1')
system.putenv('CUDA_VISIBLE_DEVICES', '1')
#### after
from os import environ
import os as system
environ["ASCEND_DEVICE_ID"] = "3"  # the quiet one
system.environ.setdefault('ASCEND_DEVICE_ID', '1')
system.putenv('ASCEND_DEVICE_ID', '1')
#### a device in a constant
import os
GPU = '2'
os.environ['CUDA_VISIBLE_DEVICES'] = GPU
#### after
import os
GPU = '2'
os.environ['ASCEND_DEVICE_ID'] = GPU
#### in distributed training the launcher decides
import os
import horovod.tensorflow as hvd
if debug:
    os.environ['CUDA_VISIBLE_DEVICES'] = '0'
hvd.init()
#### with distributed=horovod
#### after
import os
import horovod.tensorflow as hvd
hvd.init()
#### findings
4 auto-check
