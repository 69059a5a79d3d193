#### memory that grows, in a loop over no devices
import tensorflow as tf

for gpu in tf.config.list_physical_devices('GPU'):
    tf.config.experimental.set_memory_growth(gpu, True)
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
4 TF2-GPU-6 auto
#### the first GPU without a look whether there is one
import tensorflow as tf

gpus = tf.config.list_physical_devices('GPU')
tf.config.experimental.set_memory_growth(gpus[0], True)
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
4 TF2-GPU-6 auto
#### GPUs that a process sees
import tensorflow as tf

gpus = tf.config.list_physical_devices('GPU')
tf.config.set_visible_devices(gpus[0], 'GPU')
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
4 TF2-GPU-6 auto
#### virtual devices
import tensorflow as tf

gpus = tf.config.list_physical_devices('GPU')
tf.config.experimental.set_virtual_device_configuration(
    gpus[0], [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])
tf.config.set_logical_device_configuration(
    gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
4 TF2-GPU-6 auto
6 TF2-GPU-6 auto
#### a GPU must be there
import tensorflow as tf

assert tf.config.list_physical_devices('GPU'), 'no GPU'
assert tf.test.is_gpu_available()
assert tf.test.is_built_with_cuda()
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-GPU-5 auto
3 TF2-INIT-1 auto
4 TF2-GPU-5 auto
5 TF2-GPU-5 auto
#### variables of the environment
import os
import tensorflow as tf

os.environ['CUDA_VISIBLE_DEVICES'] = '0'
os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'
print(tf.Variable(1.0).assign_add(1.0))
#### after
import os
import tensorflow as tf
import npu_device

os.environ['ASCEND_DEVICE_ID'] = '0'

npu_device.open().as_default()
print(tf.Variable(1.0).assign_add(1.0))
#### findings
4 TF2-GPU-3 auto
5 TF2-GPU-4 auto
6 TF2-INIT-1 auto
#### the number of GPUs is 0 on an NPU
import tensorflow as tf

num_gpus = len(tf.config.list_physical_devices('GPU'))
batch = 8 * num_gpus
print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

num_gpus = len(tf.config.list_physical_devices('GPU'))
batch = 8 * num_gpus
print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
3 TF2-GPU-7 manual
#### flags of the model garden
print('started by run.sh')
#### file run.sh
python official/vision/train.py --distribution_strategy=mirrored --num_gpus=8
#### after run.sh
python official/vision/train.py --distribution_strategy=one_device --num_gpus=0
#### findings
run.sh:1 TF2-DIST-11 auto-check
#### the current strategy is fine
import tensorflow as tf

with tf.distribute.get_strategy().scope():
    print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

with tf.distribute.get_strategy().scope():
    print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
#### packages for GPUs
import tensorflow as tf

print(tf.Variable(1.0).assign_add(1.0))
#### file requirements.txt
tensorflow-gpu==2.6.2
horovod==0.22.1
nvidia-cudnn-cu11
nvidia-dali-cuda110
cupy-cuda112
keras==2.6.0
numpy==1.24.0
protobuf
tensorflow-datasets==4.4.0
tensorflow-hub==0.12.0
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### after requirements.txt
tensorflow==2.6.2
horovod==0.22.1
# nvidia-cudnn-cu11
nvidia-dali-cuda110
cupy-cuda112
keras==2.6.0
numpy==1.23.0
protobuf
tensorflow-datasets==4.4.0
tensorflow-hub==0.12.0
#### findings
3 TF2-INIT-1 auto
requirements.txt:1 REQ-1 auto
requirements.txt:2 REQ-2 manual
requirements.txt:3 REQ-2 auto
requirements.txt:4 REQ-2 manual
requirements.txt:5 REQ-2 manual
requirements.txt:7 TF2-REQ-1 auto-check
