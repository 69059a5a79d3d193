#### arguments from elsewhere
import horovod.tensorflow as hvd
hvd.BroadcastGlobalVariablesHook(*args)
#### findings
2 manual
#### a base class
import horovod.tensorflow as hvd
class Hook(hvd.BroadcastGlobalVariablesHook):
    pass
#### the project's own hook
class BroadcastGlobalVariablesHook:
    pass
BroadcastGlobalVariablesHook(0)
#### already migrated
import os
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))
#### kept in a variable
import horovod.tensorflow as hvd
hook = hvd.BroadcastGlobalVariablesHook
hook(0)
#### an unknown object
make().BroadcastGlobalVariablesHook(0)
#### the hook of another library
import byteps.tensorflow as hvd
hvd.BroadcastGlobalVariablesHook(0)
#### in a string
s = 'hvd.BroadcastGlobalVariablesHook(0)'
