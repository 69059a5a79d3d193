#### a part of the ranks
import horovod.tensorflow as hvd
hvd.init(comm=[0, 1])
#### findings
2 manual
#### the result is used
import horovod.tensorflow as hvd
ok = hvd.init()
#### findings
2 manual
#### shutdown passed on to somebody else
import signal
import horovod.tensorflow as hvd
signal.signal(signal.SIGTERM, hvd.shutdown)
#### findings
3 manual
#### a wrapper of the project
class Comm:
    def init(self):
        pass
hvd = Comm()
hvd.init()
#### a dummy that may stand in for Horovod
try:
    import horovod.tensorflow as hvd
except ImportError:
    class hvd:
        @staticmethod
        def init():
            pass
hvd.init()
#### findings
8 possible
#### Horovod for another framework
import horovod.torch as hvd
hvd.init()
hvd.shutdown()
#### a local name hides the module
import horovod.tensorflow as hvd
def f(hvd):
    hvd.init()
f(object())
#### already migrated
import atexit
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
npu_sess, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
#### only a comment
# hvd.init() must come first
