#### somebody else's rank
import mpi as hvd
print(hvd.rank(), hvd.size())
#### Horovod for another framework
import horovod.torch as hvd
print(hvd.rank())
#### a wrapper of the project that may be a dummy
class Dummy:
    def rank(self):
        return 0
comm = Dummy()
if use_hvd:
    import horovod.tensorflow as hvd
    comm = hvd
def f(): return comm.rank()
#### findings
8 possible
#### an attribute of the same name
import horovod.tensorflow as hvd
class Job:
    rank = 0
print(Job().rank)
#### tensor rank
import tensorflow as tf
print(tf.rank(x), tf.size(x))
#### already migrated
from hccl.manage.api import get_rank_id, get_rank_size
print(get_rank_id(), get_rank_size())
#### a parameter hides the module
import horovod.tensorflow as hvd
def f(hvd):
    return hvd.rank()
f(object())
#### in a string
print('hvd.rank()')
#### the device of a scope that is removed
import tensorflow as tf
import horovod.tensorflow as hvd
with tf.device('/gpu:%d' % hvd.local_rank()):
    x = f()
#### the size of something else that is kept
import tensorflow as tf
def f(model):
    return model.queue.size() + model.hvd_queue.rank()
#### with distributed=horovod
#### no Horovod in the project
import tensorflow as tf
def f(model):
    return model.hvd.size()
