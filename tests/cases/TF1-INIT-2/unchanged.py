#### in a finally block already
import tensorflow as tf
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
try:
    tf.app.run()
finally:
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
#### main returns
from npu_bridge.npu_init import *
def main():
    npu_sess, npu_shutdown = init_resource()
    train()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
main()
#### registered for the end
import atexit
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
#### shut down by the caller
from npu_bridge.npu_init import init_resource
def setup():
    return init_resource()
#### file run.py
import main
from npu_bridge.npu_init import shutdown_resource
sess, op = main.setup()
shutdown_resource(sess, op)
#### nothing of the NPU after the runner
import tensorflow as tf
if __name__ == "__main__":
    tf.app.run()
    print("done")
#### a runner of another kind
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
app.run()
shutdown_resource(npu_sess, npu_shutdown)
#### a session closed after the runner is not the NPU's
import tensorflow as tf
sess = tf.Session()
tf.app.run()
sess.close()
#### no NPU at all
import tensorflow as tf
tf.app.run()
#### something else stands after the runner too
import tensorflow as tf
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
tf.app.run()
print("finished")
shutdown_resource(npu_sess, npu_shutdown)
#### findings
6 manual
#### on one line
import tensorflow as tf
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
tf.app.run(); shutdown_resource(npu_sess, npu_shutdown)
#### findings
4 manual
#### results kept in one variable
from npu_bridge.npu_init import *
pair = init_resource()
#### findings
2 manual
