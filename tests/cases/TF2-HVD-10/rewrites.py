#### by a variable
import os
import tensorflow as tf
import horovod.tensorflow as hvd
os.environ['CUDA_VISIBLE_DEVICES'] = str(hvd.local_rank())
print('pinned')
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
print('pinned')
#### findings
4 auto
