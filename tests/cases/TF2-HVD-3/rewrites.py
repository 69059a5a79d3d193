#### a shard
import tensorflow as tf
import horovod.tensorflow as hvd
dataset = dataset.shard(hvd.size(), hvd.rank())
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
dataset = dataset.shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
#### findings
3 auto
3 auto
#### on one server
import os
import tensorflow as tf
import horovod.tensorflow.keras as hvd
verbose = 1 if hvd.local_rank() == 0 else 0
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow.keras as hvd
verbose = 1 if int(os.getenv('ASCEND_DEVICE_ID', '0')) == 0 else 0
#### findings
4 auto
#### how many on a server
import tensorflow as tf
import horovod.tensorflow as hvd
threads = cores // hvd.local_size()
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
threads = cores // int(os.getenv('LOCAL_WORLD_SIZE', '1'))
#### findings
3 auto-check
#### imported by name, passed on
import tensorflow as tf
from horovod.tensorflow import rank, size
describe(rank=rank, n=size())
#### with distributed=horovod
#### after
import os
import tensorflow as tf
from horovod.tensorflow import rank, size
describe(rank=(lambda: int(os.getenv('RANK_ID', '0'))), n=int(os.getenv('RANK_SIZE', '1')))
#### findings
3 auto
3 auto
