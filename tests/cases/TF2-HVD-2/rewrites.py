#### at the top
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init()
print('ready')
#### with distributed=horovod
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
print('ready')
#### findings
3 auto
#### in a branch
import tensorflow as tf
import horovod.tensorflow.keras as hvd
if args.distributed:
    hvd.init()
#### with distributed=horovod
#### after
import tensorflow as tf
import horovod.tensorflow.keras as hvd
if args.distributed:
    pass
#### findings
4 auto
#### the end
import atexit
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init()
atexit.register(hvd.shutdown)
hvd.shutdown()
#### with distributed=horovod
#### after
import atexit
import tensorflow as tf
import horovod.tensorflow as hvd
#### findings
4 auto
5 auto
6 auto
