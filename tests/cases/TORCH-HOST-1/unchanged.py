#### TensorFlow reads data for PyTorch
import tensorflow as tf
import torch
from tensorflow import io

tf.config.set_visible_devices([], "GPU")
#### findings
1 info
#### a helper without PyTorch
from tensorflow.io import gfile
#### findings
1 info
#### the project trains with both
import tensorflow as tf
import torch
#### with frameworks=torch,tensorflow
#### no TensorFlow
import torch
import tensorflow_datasets
