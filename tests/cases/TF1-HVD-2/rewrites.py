#### init in main
import tensorflow as tf
import horovod.tensorflow as hvd

def main(_):
    hvd.init()  # start
    train()

if __name__ == '__main__':
    tf.app.run()
#### after
import atexit
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource

def main(_):
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)  # start
    train()

if __name__ == '__main__':
    tf.app.run()
#### findings
5 auto
#### at module level of the script, with names taken
import horovod.tensorflow as hvd
npu_sess = None
hvd.init()
#### after
import atexit
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
npu_sess = None
npu_sess_2, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess_2)
atexit.register(shutdown_resource, npu_sess_2, npu_shutdown)
#### findings
3 auto
#### at import time of a library module
import horovod.tensorflow as hvd
hvd.init()
#### with entry=train.py
#### after
import atexit
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
npu_sess, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
#### findings
2 auto-check
#### on one line with a condition and another statement
import horovod.keras as hvd
def main():
    if use_hvd: hvd.init(); go()
#### after
import atexit
import horovod.keras as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
def main():
    if use_hvd: npu_sess, npu_shutdown = init_resource(); atexit.register(close_session, npu_sess); atexit.register(shutdown_resource, npu_sess, npu_shutdown); go()
#### shutdown in the same function: shut down there and only there
import horovod.tensorflow as hvd
def main():
    hvd.init()
    try:
        train()
    finally:
        hvd.shutdown()
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
def main():
    npu_sess, npu_shutdown = init_resource()
    try:
        train()
    finally:
        shutdown_resource(npu_sess, npu_shutdown)
        close_session(npu_sess)
#### findings
3 auto
7 auto
#### shutdown elsewhere: the registered one does it
from horovod.tensorflow import init, shutdown
def setup():
    init()
def teardown():
    shutdown()
#### after
import atexit
from horovod.tensorflow import init, shutdown
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
def setup():
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)
def teardown():
    pass
#### registered by hand: not twice
import atexit
import horovod.tensorflow as hvd
hvd.init()
atexit.register(hvd.shutdown)
#### after
import atexit
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
npu_sess, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
#### findings
3 auto
4 auto
#### options of the process must be those of the first session
import horovod.tensorflow as hvd
hvd.init()
#### with npu.precision_mode=allow_mix_precision
#### after
import atexit
import horovod.tensorflow as hvd
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
from npu_options import session_config
npu_sess, npu_shutdown = init_resource(config=session_config())
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
#### behind a guard, with None as in the import's own except clause
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None
if hvd is not None:
    hvd.init(None)
#### after
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None
import atexit
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource
if hvd is not None:
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)
