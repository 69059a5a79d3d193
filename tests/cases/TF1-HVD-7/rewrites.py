#### tf.keras
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]
#### after
import horovod.tensorflow.keras as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesCallback
callbacks = [NPUBroadcastGlobalVariablesCallback(0)]
#### findings
2 auto
#### native Keras, a device that is dropped
import horovod.keras as hvd
callbacks.append(hvd.callbacks.BroadcastGlobalVariablesCallback(root_rank=0, device='/gpu:0'))
#### after
import horovod.keras as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesCallback
callbacks.append(NPUBroadcastGlobalVariablesCallback(root_rank=0))
#### imported by name
from horovod.tensorflow.keras.callbacks import BroadcastGlobalVariablesCallback
cb = BroadcastGlobalVariablesCallback(0, '')
#### after
from horovod.tensorflow.keras.callbacks import BroadcastGlobalVariablesCallback
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesCallback
cb = NPUBroadcastGlobalVariablesCallback(0)
