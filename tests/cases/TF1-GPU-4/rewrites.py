#### variables go
import os
import tensorflow as tf
os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=2'
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as nvidia-smi counts
os.environ.setdefault('NCCL_DEBUG', 'INFO')
os.putenv('TF_GPU_THREAD_MODE', mode)
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### after
import os
import tensorflow as tf
# as nvidia-smi counts
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### findings
3 auto
4 auto
5 auto
6 auto
#### all of a block
import os

def set_up(flags):
    if flags.fast:
        os.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'
        os.environ['TF_GPU_THREAD_COUNT'] = str(flags.threads)
    os.environ['TF_ENABLE_WINOGRAD_NONFUSED'] = '1'
#### after
import os

def set_up(flags):
    pass
#### findings
5 auto
6 auto
7 auto
#### reproducible kernels have an option of their own
import os
os.environ['TF_CUDNN_DETERMINISTIC'] = '1'
#### after
import os
#### findings
2 auto-check
#### setting and dropping, in both branches
import os
if flags.persistent:
    os.environ['TF_USE_CUDNN_BATCHNORM_SPATIAL_PERSISTENT'] = '1'
else:
    os.environ.pop('TF_USE_CUDNN_BATCHNORM_SPATIAL_PERSISTENT', None)
train()
del os.environ['TF_USE_CUDNN_BATCHNORM_SPATIAL_PERSISTENT']
#### after
import os
train()
#### findings
3 auto
5 auto
7 auto
#### a paragraph goes with a blank line
import os

os.environ['NCCL_DEBUG'] = 'INFO'
os.environ['NCCL_IB_DISABLE'] = '1'

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### after
import os

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### a variable that is added to itself
import os
os.environ['TF_XLA_FLAGS'] = os.environ.get('TF_XLA_FLAGS', '') + ' --tf_xla_auto_jit=2'
#### after
import os
