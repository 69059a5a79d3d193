#### another variable
import os
import tensorflow as tf
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### the NPU's variable
import os
import tensorflow as tf
os.environ['ASCEND_DEVICE_ID'] = '2'
#### a dictionary of its own
import tensorflow as tf
settings = {}
settings['CUDA_VISIBLE_DEVICES'] = '2'
