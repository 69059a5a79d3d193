#### positional root
import os
import horovod.tensorflow as hvd
hooks = [hvd.BroadcastGlobalVariablesHook(0), other]
#### after
import os
import horovod.tensorflow as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
hooks = [NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0'))), other]
#### findings
3 auto-check
#### keyword root
import os
import horovod.tensorflow as hvd
hook = hvd.BroadcastGlobalVariablesHook(root_rank=0)
#### after
import os
import horovod.tensorflow as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
hook = NPUBroadcastGlobalVariablesHook(root_rank=0, index=int(os.getenv('RANK_ID', '0')))
#### the device makes room
import os
import horovod.tensorflow as hvd
a = hvd.BroadcastGlobalVariablesHook(0, '/gpu:0')
b = hvd.BroadcastGlobalVariablesHook(0, device='')
#### after
import os
import horovod.tensorflow as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
a = NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))
b = NPUBroadcastGlobalVariablesHook(0, index=int(os.getenv('RANK_ID', '0')))
#### os is brought in
import horovod.tensorflow as hvd
hook = hvd.BroadcastGlobalVariablesHook(0)
#### after
import os
import horovod.tensorflow as hvd
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesHook
hook = NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))
