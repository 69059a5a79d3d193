#### memory that grows
import os
import tensorflow as tf
os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'
tf.random.set_seed(1)
#### after
import os
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### XLA by a variable
import os
import tensorflow as tf
os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=2'
tf.random.set_seed(1)
#### after
import os
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto
#### deterministic kernels of cuDNN
import os
import tensorflow as tf
os.environ['TF_CUDNN_DETERMINISTIC'] = '1'
tf.random.set_seed(1)
#### after
import os
import tensorflow as tf
tf.random.set_seed(1)
#### findings
3 auto-check
#### set as part of something else
import os
import tensorflow as tf
x = os.environ.setdefault('NCCL_DEBUG', 'INFO')
#### findings
3 info
