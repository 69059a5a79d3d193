#### mixed precision is another rule's
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1'
#### logging
import os
import tensorflow as tf
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
#### the NPU's
import os
import tensorflow as tf
os.environ['NPU_LOOP_SIZE'] = '10'
