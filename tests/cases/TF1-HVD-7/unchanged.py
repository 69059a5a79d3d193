#### arguments from elsewhere
import horovod.keras as hvd
hvd.callbacks.BroadcastGlobalVariablesCallback(**kw)
#### findings
2 manual
#### local variables
import horovod.tensorflow.keras as hvd
hvd.callbacks.BroadcastGlobalVariablesCallback(0, local_variables=mine)
#### findings
2 manual
#### other callbacks
import horovod.keras as hvd
hvd.callbacks.MetricAverageCallback()
#### the project's own
class BroadcastGlobalVariablesCallback:
    pass
BroadcastGlobalVariablesCallback(0)
#### already migrated
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesCallback
NPUBroadcastGlobalVariablesCallback(0)
#### a base class
import horovod.keras as hvd
class C(hvd.callbacks.BroadcastGlobalVariablesCallback):
    pass
#### an unknown object
x.callbacks.BroadcastGlobalVariablesCallback(0)
#### Keras' own callbacks
import tensorflow as tf
tf.keras.callbacks.Callback()
