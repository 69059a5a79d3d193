#### nvidia-smi
import subprocess
import tensorflow as tf
print(subprocess.check_output(['nvidia-smi', '-L']))
#### npu-smi
import os
import tensorflow as tf
os.system('npu-smi info')
#### a message
import tensorflow as tf
print('see nvidia-smi')
