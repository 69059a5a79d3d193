#### all four queries
import horovod.tensorflow as hvd
def f(ds):
    print(hvd.local_rank(), hvd.local_size())
    return ds.shard(hvd.size(), index=hvd.rank())
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_local_rank_id, get_local_rank_size, get_rank_id, get_rank_size
def f(ds):
    print(get_local_rank_id(), get_local_rank_size())
    return ds.shard(get_rank_size(), index=get_rank_id())
#### findings
3 auto
3 auto
4 auto
4 auto
#### any alias
import horovod.tensorflow.keras as the_hvd
def f(): return the_hvd.rank()
#### after
import horovod.tensorflow.keras as the_hvd
from hccl.manage.api import get_rank_id
def f(): return get_rank_id()
#### native Keras
import horovod.keras as hvd
def f(): return hvd.size()
#### after
import horovod.keras as hvd
from hccl.manage.api import get_rank_size
def f(): return get_rank_size()
#### from horovod import tensorflow
from horovod import tensorflow as hvd
def f(): return hvd.size()
#### after
from horovod import tensorflow as hvd
from hccl.manage.api import get_rank_size
def f(): return get_rank_size()
#### names imported one by one
from horovod.tensorflow import rank as r, size
def f(): return r() < size()
#### after
from horovod.tensorflow import rank as r, size
from hccl.manage.api import get_rank_id, get_rank_size
def f(): return get_rank_id() < get_rank_size()
#### plain import
import horovod.tensorflow
def f(): return horovod.tensorflow.rank()
#### after
import horovod.tensorflow
from hccl.manage.api import get_rank_id
def f(): return get_rank_id()
#### star import
from horovod.tensorflow import *
def f(): return local_rank()
#### after
from horovod.tensorflow import *
from hccl.manage.api import get_local_rank_id
def f(): return get_local_rank_id()
#### guarded imports of one or the other
try:
    import horovod.tensorflow.keras as hvd
except ImportError:
    import horovod.keras as hvd
def f(): return hvd.rank()
#### after
try:
    import horovod.tensorflow.keras as hvd
except ImportError:
    import horovod.keras as hvd
from hccl.manage.api import get_rank_id
def f(): return get_rank_id()
#### passed around
import horovod.tensorflow as hvd
class Trainer:
    def __init__(self, comm):
        self.comm = comm
    def is_chief(self):
        return self.comm.rank() == 0
Trainer(hvd)
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_id
class Trainer:
    def __init__(self, comm):
        self.comm = comm
    def is_chief(self):
        return get_rank_id() == 0
Trainer(hvd)
#### the function itself is kept in a variable
import horovod.tensorflow as hvd
whoami = hvd.rank
def f(): return whoami()
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_id
whoami = get_rank_id
def f(): return whoami()
#### findings
2 auto
#### from another file of the project
from comm import hvd
def f(): return hvd.size()
#### file comm.py
import horovod.tensorflow as hvd
#### after
from comm import hvd
from hccl.manage.api import get_rank_size
def f(): return get_rank_size()
#### imported inside a function, behind a flag
def f():
    if FLAGS.use_horovod:
        import horovod.tensorflow as hvd
        seed = hvd.rank()
#### after
from hccl.manage.api import get_rank_id
def f():
    if FLAGS.use_horovod:
        import horovod.tensorflow as hvd
        seed = get_rank_id()
#### before the initialisation
import horovod.tensorflow as hvd
def main():
    if hvd.rank() == 0:
        print('hello')
    hvd.init()
    print(hvd.rank())
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_id
def main():
    if get_rank_id() == 0:
        print('hello')
    hvd.init()
    print(get_rank_id())
#### findings
3 auto-check
6 auto
#### while a library module is imported
import horovod.tensorflow as hvd
LR = 0.1 * hvd.size()
def f(rank=hvd.rank()):
    return rank
#### with entry=train.py
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_id, get_rank_size
LR = 0.1 * get_rank_size()
def f(rank=get_rank_id()):
    return rank
#### findings
2 auto-check
3 auto-check
#### a name that is taken
import horovod.tensorflow as hvd
def get_rank_id():
    return hvd.rank()
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_id as get_rank_id_2
def get_rank_id():
    return get_rank_id_2()
#### a star import of the NPU's API serves
from npu_bridge.npu_init import *
import horovod.tensorflow as hvd
def f(): return hvd.rank()
#### after
from npu_bridge.npu_init import *
import horovod.tensorflow as hvd
def f(): return get_rank_id()
#### after an estimator has shut HCCL down
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init()
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(
    input_fn, steps=20000 // hvd.size())
if hvd.rank() == 0:
    print(hvd.size(), hvd.local_rank())
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
from hccl.manage.api import get_local_rank_id, get_rank_size
hvd.init()
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(
    input_fn, steps=20000 // get_rank_size())
if int(os.getenv('RANK_ID', '0')) == 0:
    print(int(os.getenv('RANK_SIZE', '1')), get_local_rank_id())
#### findings
6 auto
7 auto
8 auto
8 auto
#### a module that a model keeps, from callers that cannot be seen
import tensorflow as tf
class Model:
    def __init__(self, params, hvd):
        self._hvd = hvd
        self.workers = self._hvd.size() if hvd else 1
def is_master(model):
    hvd = model.hvd
    return not model.on_horovod or hvd.rank() == 0
#### with distributed=horovod
#### after
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size
class Model:
    def __init__(self, params, hvd):
        self._hvd = hvd
        self.workers = get_rank_size() if hvd else 1
def is_master(model):
    hvd = model.hvd
    return not model.on_horovod or get_rank_id() == 0
