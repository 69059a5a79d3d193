#### scaled
import tensorflow as tf
import horovod.tensorflow as hvd
loss = hvd.allreduce(loss, prescale_factor=0.5)
#### with distributed=horovod
#### findings
3 manual
#### a function of the user's
import tensorflow as tf
from mylib import allreduce
loss = allreduce(loss)
#### with distributed=horovod
#### npu_device's
import tensorflow as tf
import npu_device
loss = npu_device.distribute.all_reduce(loss, 'mean')
#### with distributed=horovod
