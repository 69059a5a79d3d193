#### still used
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.join()
#### with distributed=horovod
#### findings
2 manual
#### all of it
import tensorflow as tf
from horovod.tensorflow import *
#### with distributed=horovod
#### findings
2 manual
#### Horovod for PyTorch
import horovod.torch as hvd
#### with distributed=horovod
#### another module of that name
import tensorflow as tf
from mylib import horovod_tools
#### with distributed=horovod
