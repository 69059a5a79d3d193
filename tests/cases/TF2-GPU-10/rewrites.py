#### by the shell
import os
import tensorflow as tf
os.system('nvidia-smi')
#### findings
3 manual
