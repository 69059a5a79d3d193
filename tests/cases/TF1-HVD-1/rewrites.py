#### an import nothing uses
import tensorflow as tf
import horovod.tensorflow as hvd
import numpy as np
#### after
import tensorflow as tf
import numpy as np
#### findings
2 auto
#### one name of several in one statement: the others stay
import os, horovod.tensorflow as hvd, sys
print(os, sys)
#### after
import os, sys
print(os, sys)
#### the last name of several
import os, sys, horovod.tensorflow as hvd
#### after
import os, sys
#### one name of a from import, with parentheses and a comment
from horovod.tensorflow import (
    rank,  # who am I
    size,
)
print(size())
#### after
# who am I
from horovod.tensorflow import (
    size,
)
print(size())
#### findings
1 manual
1 auto
#### from horovod import tensorflow
from horovod import tensorflow as hvd
from horovod import keras
import tensorflow as tf
#### after
import tensorflow as tf
#### plain import of a submodule
import horovod.tensorflow
import horovod.keras
x = 1
#### after
x = 1
#### import inside a function becomes pass where it was all there was
def f():
    import horovod.tensorflow as hvd  # late
#### after
def f():
    pass  # late
#### a guarded import goes with its guard
import tensorflow as tf
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None
x = 1
#### after
import tensorflow as tf
x = 1
#### a guard that also sets a flag keeps the flag
try:
    import horovod.tensorflow as hvd
    HAS_HVD = True
except ImportError:
    HAS_HVD = False
#### after
try:
    HAS_HVD = True
except ImportError:
    HAS_HVD = False
#### a module that is only tested stands for HCCL
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None
if hvd is not None and hvd:
    print('distributed')
#### after
try:
    import hccl.manage.api as hvd
except ImportError:
    hvd = None
if hvd is not None and hvd:
    print('distributed')
#### findings
2 auto-check
#### a module that is passed on to be tested
from horovod import tensorflow as hvd

def build(lr, hvd=None):
    def model(x):
        return x if hvd is None else lr
    return model

build(0.1, hvd=None if not FLAGS.horovod else hvd)
#### after
import hccl.manage.api as hvd

def build(lr, hvd=None):
    def model(x):
        return x if hvd is None else lr
    return model

build(0.1, hvd=None if not FLAGS.horovod else hvd)
#### findings
1 auto-check
#### passed on in a statement with other modules
import os, horovod.tensorflow as hvd

def train(path, comm):
    return bool(comm)

train(os.path, hvd)
#### after
import os, hccl.manage.api as hvd

def train(path, comm):
    return bool(comm)

train(os.path, hvd)
#### imported from another file of the project and unused
from comm import hvd
x = 1
#### with distributed=horovod
#### file comm.py
import horovod.tensorflow as hvd
#### after
x = 1
#### used elsewhere only in ways that are rewritten there
import horovod.tensorflow as hvd
#### file train.py
from main import hvd
print(hvd.rank())
#### after
#### findings
1 auto
#### a module that is kept in an attribute, which is only tested
from model import Model
def main():
    hvd = None
    if use_horovod:
        import horovod.tensorflow as hvd
    return Model({}, hvd)
#### file model.py
class Model(object):
    def __init__(self, params, hvd=None):
        self._hvd = hvd
        if self._hvd:
            self.size = self._hvd.size()

    @property
    def hvd(self):
        return self._hvd

    def is_master(self):
        return self.hvd is None or self.hvd.rank() == 0
#### with distributed=horovod
#### after
from model import Model
def main():
    hvd = None
    if use_horovod:
        import hccl.manage.api as hvd
    return Model({}, hvd)
