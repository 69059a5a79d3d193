#### a GPU or the CPU
import tensorflow as tf
with tf.device('/gpu:0' if args.gpu else '/cpu:0'):
    y = network(x)
#### a variable
import tensorflow as tf
with tf.device(args.device):
    y = network(x)
#### the NPU's own scope
import npu_device
import tensorflow as tf
with npu_device.open().scope():
    y = network(x)
#### the scope that really is on the host
import tensorflow as tf
from tensorflow.python.eager import context
with context.device('CPU:0'):
    y = network(x)
#### PyTorch's device
import torch
device = torch.device('cuda:0')
#### a name
import tensorflow as tf
with tf.name_scope('/gpu:0'):
    y = network(x)
