#### what the vendor's tool writes
import tensorflow as tf
from npu_bridge.npu_init import *

if __name__ == '__main__':
    (npu_sess, npu_shutdown) = init_resource()
    tf.app.run()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
#### after
import tensorflow as tf
from npu_bridge.npu_init import *

if __name__ == '__main__':
    (npu_sess, npu_shutdown) = init_resource()
    try:
        tf.app.run()
    finally:
        shutdown_resource(npu_sess, npu_shutdown)
        close_session(npu_sess)
#### findings
7 auto
#### absl, several lines, comments
from absl import app
from npu_bridge.npu_init import *

def main(_):
  train()

if __name__ == "__main__":
  npu_keras_sess = set_keras_session_npu_config()
  app.run(
      main)  # never returns
  # give the device back

  close_session(npu_keras_sess)  # last
#### after
from absl import app
from npu_bridge.npu_init import *

def main(_):
  train()

if __name__ == "__main__":
  npu_keras_sess = set_keras_session_npu_config()
  try:
    app.run(
        main)  # never returns
  # give the device back

  finally:
    close_session(npu_keras_sess)  # last
#### nobody shuts down
import tensorflow as tf
from npu_bridge.npu_init import init_resource

def main():
    npu_sess, npu_shutdown = init_resource()
    train()
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import init_resource
from npu_bridge.npu_init import close_session, shutdown_resource

def main():
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)
    train()
#### the results are thrown away
import atexit
import tensorflow as tf
from npu_bridge.npu_init import *
init_resource()
train()
#### after
import atexit
import tensorflow as tf
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
train()
