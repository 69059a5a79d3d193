#### a question for a library
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.nccl_built():
    print('nccl')
else:
    print('other')
#### with distributed=horovod
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
if False:
    print('nccl')
else:
    print('other')
#### findings
3 auto-check
