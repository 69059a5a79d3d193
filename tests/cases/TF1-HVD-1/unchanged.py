#### a call that is still there keeps the import
import horovod.tensorflow as hvd
hvd.join()
#### findings
1 manual
#### a rank query is another rule's business, so the import stays here
import horovod.tensorflow as hvd
print(hvd.rank())
#### findings
1 manual
#### kept by an object that hands it on
import horovod.tensorflow as hvd
state = hvd
share(state)
#### findings
1 manual
#### passed to a function that calls its own choice of methods
import horovod.tensorflow as hvd

def run(comm):
    comm.join()

run(hvd)
#### findings
1 manual
#### passed out of the project
import horovod.tensorflow as hvd
import dllogger
dllogger.setup(hvd)
#### findings
1 manual
#### exported
import horovod.tensorflow as hvd
__all__ = ['hvd']
#### findings
1 manual
#### used by another file in a way nobody rewrites
import horovod.tensorflow as hvd
#### file train.py
import main
main.hvd.join()
#### findings
1 manual
#### star import
from horovod.tensorflow import *
#### findings
1 manual
#### Horovod for another framework
import horovod.torch as hvd
import horovod.mxnet
#### something else of that name
import hvd
from mylib import horovod
#### a name in a string
s = 'import horovod.tensorflow as hvd'
#### already migrated
import hccl.manage.api as hvd
if hvd is not None:
    pass
#### kept in an attribute that another file uses for more
from model import Model
def main():
    import horovod.tensorflow as hvd
    return Model({}, hvd)
#### file model.py
class Model(object):
    def __init__(self, params, hvd=None):
        self._hvd = hvd

    def stop(self):
        self._hvd.elastic(self)
#### with distributed=horovod
#### findings
3 manual
